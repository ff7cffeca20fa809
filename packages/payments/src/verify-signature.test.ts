import { randomBytes } from 'node:crypto'
import { authorizationTypes } from '@x402/evm'
import { hashTypedData, toHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { authorizationDigest, DOMAIN_SEPARATOR } from './authorization-digest.ts'
import type { Authorization } from './payment-signature.ts'
import { type Hex, USDC_DOMAIN } from './usdc.ts'
import { verifySignatureLocally } from './verify-signature.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function randomHex(bytes: number): Hex {
  return `0x${randomBytes(bytes).toString('hex')}`
}

function randomAuthorization(from: string): Authorization {
  return {
    from: from.toLowerCase() as Hex,
    to: randomHex(20),
    value: BigInt(randomHex(1 + Math.floor(Math.random() * 32))),
    validAfter: BigInt(randomHex(4)),
    validBefore: BigInt(randomHex(32)),
    nonce: randomHex(32),
  }
}

function typedData(authorization: Authorization) {
  return {
    domain: USDC_DOMAIN,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...authorization },
  } as const
}

async function sign(account: PrivateKeyAccount, authorization: Authorization): Promise<Hex> {
  return account.signTypedData(typedData(authorization))
}

describe('authorizationDigest', () => {
  it('hashes the domain as the contract on Base does', () => {
    expect(DOMAIN_SEPARATOR).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f')
  })

  it('agrees with viem on random authorizations', () => {
    for (let round = 0; round < 300; round += 1) {
      const authorization = randomAuthorization(randomHex(20))
      expect(toHex(authorizationDigest(authorization))).toBe(hashTypedData(typedData(authorization)))
    }
  })
})

describe('verifySignatureLocally', () => {
  it('accepts the signatures of hundreds of random keys, and none of them for another payer', async () => {
    for (let round = 0; round < 300; round += 1) {
      const account = privateKeyToAccount(generatePrivateKey())
      const authorization = randomAuthorization(account.address)
      const signature = await sign(account, authorization)
      expect(verifySignatureLocally({ authorization, signature })).toEqual({ kind: 'valid' })
      const stolen = { ...authorization, from: randomHex(20) }
      expect(verifySignatureLocally({ authorization: stolen, signature })).toEqual({ kind: 'invalid', reason: 'signer_mismatch' })
    }
  })

  it('notices a change of any field', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    for (let round = 0; round < 40; round += 1) {
      const authorization = randomAuthorization(account.address)
      const signature = await sign(account, authorization)
      const changes: Partial<Authorization>[] = [
        { from: randomHex(20) },
        { to: randomHex(20) },
        { value: authorization.value ^ 1n },
        { validAfter: authorization.validAfter + 1n },
        { validBefore: authorization.validBefore ^ 1n },
        { nonce: randomHex(32) },
      ]
      for (const change of changes) {
        expect(verifySignatureLocally({ authorization: { ...authorization, ...change }, signature }).kind).toBe('invalid')
      }
    }
  })

  it('notices a flip of any bit of the signature', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const authorization = randomAuthorization(account.address)
    const signature = Buffer.from((await sign(account, authorization)).slice(2), 'hex')
    for (let bit = 0; bit < signature.length * 8; bit += 1) {
      const flipped = Buffer.from(signature)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(verifySignatureLocally({ authorization, signature: toHex(flipped) }).kind).toBe('invalid')
    }
  })

  it('rejects the twin with a high s, and a v of 0 or 1, as the contract does', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const authorization = randomAuthorization(account.address)
    const signature = await sign(account, authorization)
    const r = signature.slice(2, 66)
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const v = Number.parseInt(signature.slice(130), 16)
    const twin: Hex = `0x${r}${(ORDER - s).toString(16).padStart(64, '0')}${(55 - v).toString(16)}`
    expect(verifySignatureLocally({ authorization, signature: twin })).toEqual({ kind: 'invalid', reason: 'high_s' })
    const parity: Hex = `0x${signature.slice(2, 130)}0${v - 27}`
    expect(verifySignatureLocally({ authorization, signature: parity })).toEqual({ kind: 'invalid', reason: 'v_not_27_or_28' })
  })

  it('rejects numbers that are on no curve', () => {
    const authorization = randomAuthorization(randomHex(20))
    for (const r of ['00'.repeat(32), 'ff'.repeat(32)]) {
      const result = verifySignatureLocally({ authorization, signature: `0x${r}${'01'.repeat(32)}1b` })
      expect(result).toEqual({ kind: 'invalid', reason: 'not_on_curve' })
    }
    const zeroS = verifySignatureLocally({ authorization, signature: `0x${'01'.repeat(32)}${'00'.repeat(32)}1b` })
    expect(zeroS).toEqual({ kind: 'invalid', reason: 'not_on_curve' })
  })

  it('leaves other lengths to contracts', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const authorization = randomAuthorization(account.address)
    const signature = await sign(account, authorization)
    expect(verifySignatureLocally({ authorization, signature: `${signature}00` })).toEqual({ kind: 'not_an_eoa_signature' })
    expect(verifySignatureLocally({ authorization, signature: randomHex(64) })).toEqual({ kind: 'not_an_eoa_signature' })
  })
})
