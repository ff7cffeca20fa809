import { checkAuthorization, paymentRequirements } from '@turnpike/payments'
import { describe, expect, it } from 'vitest'
import { SETTLEMENT_RESERVE_MS } from './check-payment.ts'
import { maxTimeoutSeconds } from './effective-request.ts'

// The rule of docs/decisions: any two clocks of the service, its clients and the chain are within 5 s of each other.
const SKEW_MS = 5_000
const PAY_TO = '0x00000000000000000000000000000000000000aa'
const NOW_MS = 1_800_000_000_000
// The x402 clients date their authorizations ten minutes back.
const CLIENTS_BACKDATE_S = 600n

/** What an official client signs at once, by its own clock, and what the gateway says to it by its own. */
function verdict({ deadlineMs, clientAheadMs }: { deadlineMs: number; clientAheadMs: number }) {
  const requirements = paymentRequirements({
    amountAtomic: 2_000n,
    payTo: PAY_TO,
    maxTimeoutSeconds: maxTimeoutSeconds(deadlineMs),
  })
  const clientS = BigInt(Math.floor((NOW_MS + clientAheadMs) / 1_000))
  return checkAuthorization({
    authorization: {
      from: '0x00000000000000000000000000000000000000bb',
      to: PAY_TO,
      value: 2_000n,
      validAfter: clientS - CLIENTS_BACKDATE_S,
      validBefore: clientS + BigInt(requirements.maxTimeoutSeconds),
      nonce: `0x${'1'.repeat(64)}`,
    },
    requirements,
    nowMs: NOW_MS,
    mustCoverMs: deadlineMs + SETTLEMENT_RESERVE_MS,
    maxAheadMs: 3_600_000,
  })
}

describe('a client whose clock differs from ours', () => {
  it.each([60_000, 120_000, 300_000, 497_000])('pays for work with a deadline of %i ms', (deadlineMs) => {
    for (const clientAheadMs of [-SKEW_MS, 0, SKEW_MS]) {
      expect(verdict({ deadlineMs, clientAheadMs })).toEqual({ kind: 'acceptable' })
    }
  })

  it('has half a minute to sign and send the longest request all the same', () => {
    expect(verdict({ deadlineMs: 497_000, clientAheadMs: -SKEW_MS - 30_000 })).toEqual({ kind: 'acceptable' })
  })

  it('leaves settlement its time: worker late by its clock, facilitator early by its own', () => {
    // The official facilitator asks for six seconds more than now.
    expect(SETTLEMENT_RESERVE_MS - 2 * SKEW_MS - 6_000).toBeGreaterThanOrEqual(10_000)
  })
})
