import { generateKeyPairSync, sign } from 'node:crypto'
import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@turnpike/payments'
import { type Ed25519PrivateJwk, publicJwk, signDetached } from '@turnpike/sealing'
import canonicalize from 'canonicalize'
import { describe, expect, it } from 'vitest'
import { AUTHORIZATION_USED, TRANSFER } from './check-on-chain.ts'
import { checkContent, checkResponse, checkSignature } from './verify-receipt.ts'

const newKey = (kid: string) =>
  ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid }) as Ed25519PrivateJwk
const key = newKey('receipt-1')
const jwks = { keys: [publicJwk(newKey('receipt-0')), publicJwk(key)] }
const unsigned = {
  id: '5f0c2a5e-2f1c-4c7e-9a52-6f6b5f6f2b11',
  object: 'receipt',
  created: 1_795_000_000,
  model: 'gm-2.5-flash “é” \u2028',
  price: { amount_atomic: '2000', amount: '0.002', currency: 'USDC', inputs: { max_tokens: 64, input_tokens: 12 } },
  payment: { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', payer: '0xabc' },
  usage: { ratio: 0.1, tokens: 1e21 },
  response_sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
}
const signed = (content: object, by = key) => ({ ...content, signature: signDetached(by, canonicalize(content) ?? '') })
const receipt = signed(unsigned)

describe('checkSignature', () => {
  it('holds for what the issuer signed, in whatever order and spacing it arrives', () => {
    expect(checkSignature(receipt, jwks).holds).toBe(true)
    const reordered = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(receipt, null, 4)) as object).reverse())
    expect(checkSignature(reordered, jwks).holds).toBe(true)
  })

  it('does not hold once any field is changed, added or taken away', () => {
    for (const name of Object.keys(unsigned)) {
      expect(checkSignature({ ...receipt, [name]: 'changed' }, jwks).holds, name).toBe(false)
      const { [name]: _, ...less } = receipt as Record<string, unknown>
      expect(checkSignature(less, jwks).holds, `without ${name}`).toBe(false)
    }
    expect(checkSignature({ ...receipt, price: { ...unsigned.price, amount_atomic: '2001' } }, jwks).holds).toBe(false)
    expect(checkSignature({ ...receipt, more: 1 }, jwks).holds).toBe(false)
  })

  it('does not hold under another key, an unpublished one, or none', () => {
    expect(checkSignature(signed(unsigned, newKey('receipt-1')), jwks).holds).toBe(false)
    expect(checkSignature(signed(unsigned, newKey('receipt-9')), jwks).says).toContain('"receipt-9"')
    expect(checkSignature(receipt, { keys: [] }).holds).toBe(false)
  })

  it('takes a detached EdDSA signature without extensions and nothing else', () => {
    const [header = '', , signature = ''] = receipt.signature.split('.')
    const payload = Buffer.from(canonicalize(unsigned) ?? '').toString('base64url')
    for (const wrong of ['', '..', 'a.b', `${header}.${payload}.${signature}`, `${receipt.signature}.x`, `..${signature}`]) {
      expect(checkSignature({ ...unsigned, signature: wrong }, jwks).holds, wrong).toBe(false)
    }
    expect(checkSignature(unsigned, jwks).holds).toBe(false)
    // Correct signatures of their kind, with headers that mean something else.
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }
    const withHeader = (fields: object) => {
      const head = Buffer.from(JSON.stringify(fields)).toString('base64url')
      const bytes = sign(null, Buffer.from(`${head}.${payload}`), privateKey)
      return { ...unsigned, signature: `${head}..${bytes.toString('base64url')}` }
    }
    expect(checkSignature(withHeader({ alg: 'EdDSA', kid: 'k' }), keys).holds).toBe(true)
    for (const wrong of [{ alg: 'none' }, { alg: 'EdDSA', crit: ['b64'], b64: false }, { alg: 'EdDSA', crit: ['exp'] }]) {
      expect(checkSignature(withHeader({ ...wrong, kid: 'k' }), keys).holds, JSON.stringify(wrong)).toBe(false)
    }
  })
})

describe('checkContent', () => {
  it('holds where both spellings of the amount agree and the money is USDC on Base', () => {
    expect(checkContent(receipt).map(({ holds }) => holds)).toEqual([true, true])
  })

  it.each([
    ['amount', { price: { ...unsigned.price, amount: '0.02' } }],
    ['atomic amount', { price: { ...unsigned.price, amount_atomic: '20000' } }],
    ['spelling of the amount', { price: { ...unsigned.price, amount: '2e-3' } }],
    ['network', { payment: { ...unsigned.payment, network: 'eip155:84532' } }],
    ['token', { payment: { ...unsigned.payment, asset: '0xabc' } }],
    ['document', { object: 'invoice' }],
    ['price', { price: null }],
  ])('does not hold for another %s', (_what, change) => {
    expect(checkContent({ ...receipt, ...change }).every(({ holds }) => holds)).toBe(false)
  })
})

describe('checkResponse', () => {
  it('holds for the very bytes that were sold', () => {
    expect(checkResponse(receipt, Buffer.from('abc')).holds).toBe(true)
    expect(checkResponse(receipt, Buffer.from('abc\n')).holds).toBe(false)
  })
})

it('looks for the events that the service itself looks for', () => {
  expect([AUTHORIZATION_USED, TRANSFER]).toEqual([AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC])
})
