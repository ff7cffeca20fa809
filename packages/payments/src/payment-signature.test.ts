import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from './headers.ts'
import { parsePaymentSignature } from './payment-signature.ts'
import { paymentRequired, paymentRequirements } from './requirements.ts'
import { NETWORK } from './usdc.ts'
import { verifySignatureLocally } from './verify-signature.ts'

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const requirements = paymentRequirements({ amountAtomic: 2000n, payTo: PAY_TO, maxTimeoutSeconds: 300 })

const AUTHORIZATION = {
  from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to: PAY_TO,
  value: '2000',
  validAfter: '0',
  validBefore: '1900000000',
  nonce: `0x${'Ab'.repeat(32)}`,
}
const SIGNATURE = `0x${'11'.repeat(64)}1B`

function payload(overrides: { authorization?: object; payload?: object; root?: object } = {}) {
  return {
    x402Version: 2,
    accepted: requirements,
    payload: { authorization: { ...AUTHORIZATION, ...overrides.authorization }, signature: SIGNATURE, ...overrides.payload },
    ...overrides.root,
  }
}

function header(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('base64')
}

function reasonOf(text: string): string {
  const parsed = parsePaymentSignature(text)
  return parsed.ok ? 'accepted' : parsed.reason
}

describe('parsePaymentSignature', () => {
  it('normalises addresses, nonce and signature beside the untouched original', () => {
    const original = payload()
    const parsed = parsePaymentSignature(header(original))
    if (!parsed.ok) throw new Error(parsed.reason)
    expect(parsed.payment.payload).toEqual(original)
    expect(parsed.payment.authorization).toEqual({
      from: AUTHORIZATION.from.toLowerCase(),
      to: PAY_TO.toLowerCase(),
      value: 2000n,
      validAfter: 0n,
      validBefore: 1900000000n,
      nonce: `0x${'ab'.repeat(32)}`,
    })
    expect(parsed.payment.signature).toBe(SIGNATURE.toLowerCase())
    expect(parsed.payment.accepted).toEqual(requirements)
  })

  it('accepts what the official client makes of our challenge, with non-ASCII text in it', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(account))
    const challenge = paymentRequired({
      requirements,
      resource: { url: 'http://127.0.0.1/v1/images', description: 'Bilder für dich — 画像', mimeType: 'application/json' },
      error: 'Zahlung nötig',
      extensions: { bazaar: { info: { input: { prompt: 'füße 🦶' } }, schema: {} } },
    })
    const encoded = encodePaymentRequiredHeader(challenge)
    expect(encoded).toMatch(/^[\x20-\x7e]+$/)
    const decoded = decodePaymentRequiredHeader(encoded)
    expect(decoded).toEqual(challenge)
    const sent = encodePaymentSignatureHeader(await client.createPaymentPayload(decoded))
    expect(sent).toMatch(/^[\x20-\x7e]+$/)
    const parsed = parsePaymentSignature(sent)
    if (!parsed.ok) throw new Error(parsed.reason)
    expect(parsed.payment.authorization.from).toBe(account.address.toLowerCase())
    expect(verifySignatureLocally(parsed.payment)).toEqual({ kind: 'valid' })
  })

  it('carries a settlement through its header unchanged', () => {
    const settlement = { success: true, transaction: `0x${'aa'.repeat(32)}`, network: NETWORK, payer: PAY_TO } as const
    const encoded = encodePaymentResponseHeader(settlement)
    expect(encoded).toMatch(/^[\x20-\x7e]+$/)
    expect(decodePaymentResponseHeader(encoded)).toEqual(settlement)
  })

  it.each([
    ['an empty header', '', 'not_base64'],
    ['text that is not Base64', '{"x402Version":2}', 'not_base64'],
    ['URL-safe Base64', `${header(payload()).slice(0, -4)}-_-_`, 'not_base64'],
    ['Base64 with stray bits', 'e31=', 'not_base64'],
    ['a broken length', 'e30a5', 'not_base64'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]).toString('base64'), 'not_utf8'],
    ['Base64 of something else', header('hello'), 'not_json'],
    ['a header over the limit', 'A'.repeat(32 * 1024 + 4), 'too_large'],
    ['deep nesting', header('['.repeat(10_000)), 'too_deep'],
    ['brackets in a string, which are no nesting', header(JSON.stringify('['.repeat(1000))), 'not_x402_v2'],
    ['very many members', header(JSON.stringify(Array.from({ length: 5000 }, () => 0))), 'too_many_members'],
    ['null', header('null'), 'not_x402_v2'],
    ['an array', header('[2]'), 'not_x402_v2'],
    ['x402 version 1', header(payload({ root: { x402Version: 1 } })), 'not_x402_v2'],
    [
      'an accepted without its amount',
      header(payload({ root: { accepted: { ...requirements, amount: 2000 } } })),
      'accepted_malformed',
    ],
    [
      'a network that is not CAIP-2',
      header(payload({ root: { accepted: { ...requirements, network: 'base' } } })),
      'accepted_malformed',
    ],
    ['extensions that are no object', header(payload({ root: { extensions: 'x' } })), 'not_x402_v2'],
    ['no authorization', header(payload({ payload: { authorization: undefined } })), 'authorization_malformed'],
    ['a short nonce', header(payload({ authorization: { nonce: '0xab' } })), 'authorization_malformed'],
    [
      'a wrong checksum',
      header(payload({ authorization: { from: '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266' } })),
      'authorization_malformed',
    ],
    ['a value as a number', header(payload({ authorization: { value: 2000 } })), 'authorization_malformed'],
    ['a hexadecimal value', header(payload({ authorization: { value: '0x7d0' } })), 'authorization_malformed'],
    ['a negative value', header(payload({ authorization: { value: '-1' } })), 'authorization_malformed'],
    ['a value with leading zeros', header(payload({ authorization: { value: '02000' } })), 'authorization_malformed'],
    [
      'a value past uint256',
      header(payload({ authorization: { validBefore: (1n << 256n).toString() } })),
      'authorization_malformed',
    ],
    ['an empty signature', header(payload({ payload: { signature: '0x' } })), 'signature_malformed'],
    [
      'an ERC-6492 wrapper with nothing in it that can be unpacked',
      header(payload({ payload: { signature: `0x${'e7'.repeat(200)}${'6492'.repeat(16)}` } })),
      'signature_malformed',
    ],
    ['a signature of odd length', header(payload({ payload: { signature: '0xabc' } })), 'signature_malformed'],
    [
      'a Permit2 payment',
      header(payload({ payload: { authorization: undefined, permit2Authorization: {} } })),
      'unsupported_payload',
    ],
    [
      'a Permit2 payment hidden beside a good one',
      header(payload({ payload: { permit2Authorization: {} } })),
      'unsupported_payload',
    ],
  ])('refuses %s', (_title, text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  it('takes the largest uint256', () => {
    const parsed = parsePaymentSignature(header(payload({ authorization: { validBefore: ((1n << 256n) - 1n).toString() } })))
    expect(parsed.ok && parsed.payment.authorization.validBefore).toBe((1n << 256n) - 1n)
  })

  it('keeps a signature of a contract wallet whole', () => {
    const long = `0x${'cd'.repeat(900)}`
    const parsed = parsePaymentSignature(header(payload({ payload: { signature: long } })))
    expect(parsed.ok && parsed.payment.signature).toBe(long)
  })

  it('takes nothing from prototypes', () => {
    const text = JSON.stringify(payload())
    expect(reasonOf(header(text.replace('"x402Version"', '"__proto__":{"polluted":true},"x402Version"')))).toBe('forbidden_key')
    expect(reasonOf(header(text.replace('"value"', '"__proto__":{"value":"1"},"valu"')))).toBe('forbidden_key')
    expect(reasonOf(header(text.replace('"payload":{', '"payload":{"constructor":{},')))).toBe('unsupported_payload')
    expect(reasonOf(header(text.replace('"from"', '"toString"')))).toBe('authorization_malformed')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('answers with a reason, never an exception, for any mutation of a good header', () => {
    const good = header(payload())
    for (let at = 0; at < good.length; at += 1) {
      for (const replacement of ['', 'A', '=', '\0', 'ü']) {
        const mutated = good.slice(0, at) + replacement + good.slice(at + 1)
        expect(typeof parsePaymentSignature(mutated).ok).toBe('boolean')
      }
    }
  })
})
