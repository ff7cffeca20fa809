import { describe, expect, it } from 'vitest'
import { checkAuthorization } from './check-authorization.ts'
import type { Authorization } from './payment-signature.ts'
import { paymentRequirements } from './requirements.ts'

const payTo = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const requirements = paymentRequirements({ amountAtomic: 2000n, payTo, maxTimeoutSeconds: 300 })
const nowSeconds = 1_800_000_000
const authorization: Authorization = {
  from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  value: 2000n,
  validAfter: 0n,
  validBefore: BigInt(nowSeconds + 300),
  nonce: `0x${'ab'.repeat(32)}`,
}

function check(change: Partial<Authorization>, nowMs = nowSeconds * 1000) {
  const input = {
    authorization: { ...authorization, ...change },
    requirements,
    nowMs,
    mustCoverMs: 90_000,
    maxAheadMs: 3_600_000,
  }
  const result = checkAuthorization(input)
  return result.kind === 'refused' ? result.reason : result.kind
}

describe('checkAuthorization', () => {
  it('accepts what pays the price for long enough', () => {
    expect(check({})).toBe('acceptable')
  })

  it('draws each line to the second', () => {
    expect(check({ validBefore: BigInt(nowSeconds + 90) })).toBe('acceptable')
    expect(check({ validBefore: BigInt(nowSeconds + 89) })).toBe('authorization_expires_too_soon')
    expect(check({ validBefore: BigInt(nowSeconds + 90) }, nowSeconds * 1000 + 1)).toBe('authorization_expires_too_soon')
    expect(check({ validBefore: BigInt(nowSeconds + 3600) })).toBe('acceptable')
    expect(check({ validBefore: BigInt(nowSeconds + 3601) })).toBe('authorization_expires_too_late')
    expect(check({ validAfter: BigInt(nowSeconds) })).toBe('acceptable')
    expect(check({ validAfter: BigInt(nowSeconds + 1) })).toBe('authorization_not_yet_valid')
  })

  it('holds for the extremes of uint256', () => {
    expect(check({ validBefore: (1n << 256n) - 1n })).toBe('authorization_expires_too_late')
    expect(check({ validBefore: 0n })).toBe('authorization_expires_too_soon')
    expect(check({ validAfter: (1n << 256n) - 1n })).toBe('authorization_not_yet_valid')
  })

  it('refuses any other amount or recipient', () => {
    expect(check({ value: 1999n })).toBe('payment_amount_mismatch')
    expect(check({ value: 2001n })).toBe('payment_amount_mismatch')
    expect(check({ to: authorization.from })).toBe('payment_recipient_mismatch')
  })
})
