import { describe, expect, it } from 'vitest'
import { INSPECTION_EXTRA, paymentRequirements, requirementsMismatch } from './requirements.ts'
import { NETWORK, USDC_ADDRESS } from './usdc.ts'

const payTo = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const bound = paymentRequirements({ amountAtomic: 2000n, payTo: payTo.toLowerCase(), maxTimeoutSeconds: 300 })

describe('paymentRequirements', () => {
  it('is the official shape for USDC on Base', () => {
    expect(bound).toEqual({
      scheme: 'exact',
      network: NETWORK,
      amount: '2000',
      asset: USDC_ADDRESS,
      payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2' },
    })
  })

  it('refuses to ask for nothing', () => {
    expect(() => paymentRequirements({ amountAtomic: 0n, payTo, maxTimeoutSeconds: 300 })).toThrow(RangeError)
  })
})

describe('requirementsMismatch', () => {
  it('sees through the spelling of addresses and through further members of extra', () => {
    const accepted = {
      ...bound,
      payTo: payTo.toLowerCase(),
      asset: USDC_ADDRESS.toLowerCase(),
      extra: { ...bound.extra, assetTransferMethod: 'eip3009' },
    }
    expect(requirementsMismatch(accepted, bound)).toBeUndefined()
  })

  it.each([
    [{ scheme: 'upto' }, 'payment_scheme_mismatch'],
    [{ network: 'eip155:84532' as const }, 'payment_network_mismatch'],
    [{ asset: payTo }, 'payment_asset_mismatch'],
    [{ payTo: USDC_ADDRESS }, 'payment_recipient_mismatch'],
    [{ amount: '1999' }, 'payment_amount_mismatch'],
    [{ amount: '02000' }, 'payment_amount_mismatch'],
    [{ maxTimeoutSeconds: 301 }, 'payment_timeout_mismatch'],
    [{ extra: { name: 'USDC', version: '2' } }, 'payment_domain_mismatch'],
    [{ extra: { name: 'USD Coin' } }, 'payment_domain_mismatch'],
    [{ extra: Object.create({ name: 'USD Coin', version: '2' }) }, 'payment_domain_mismatch'],
  ])('tells %j from what was bound', (change, reason) => {
    expect(requirementsMismatch({ ...bound, ...change }, bound)).toBe(reason)
  })

  it('never takes a payment of an inspection challenge for one of a fixed price, nor the reverse', () => {
    const inspection = paymentRequirements({ amountAtomic: 2000n, payTo, maxTimeoutSeconds: 300, extra: { ...INSPECTION_EXTRA } })
    expect(requirementsMismatch(inspection, bound)).toBe('payment_challenge_kind_mismatch')
    expect(requirementsMismatch(bound, inspection)).toBe('payment_challenge_kind_mismatch')
    expect(requirementsMismatch(inspection, inspection)).toBeUndefined()
    const listed = { ...bound, extra: { ...bound.extra, challengeKind: ['inspection'] } }
    expect(requirementsMismatch(listed, inspection)).toBe('payment_challenge_kind_mismatch')
  })
})
