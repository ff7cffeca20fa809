import { connectChain } from '@turnpike/local'
import type { SettlementFinding, SettleResult } from '@turnpike/payments'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkDelayMs, decideSettlement, type PaymentFacts } from './settlement-decision.ts'
import { type Rig, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded } from './testing/signed-job.ts'

const facts: PaymentFacts = { state: 'settling', validBefore: 1_000n, submissions: 1, checks: 0 }
const at = { transaction: `0x${'1'.repeat(64)}`, blockNumber: 7n } as const
const unusedAt = (confirmedBlockTimestamp: bigint): SettlementFinding => ({
  kind: 'unused',
  latestBlockNumber: 9n,
  latestBlockTimestamp: 2_000n,
  confirmedBlockNumber: 7n,
  confirmedBlockTimestamp,
})
const refusal = (blame: 'payer' | 'operator'): SettleResult => ({ kind: 'refused', reason: 'why', blame })
const unknown: SettleResult = { kind: 'unknown', why: 'timeout', reason: 'late', transaction: undefined }

describe('decideSettlement', () => {
  it.each([refusal('payer'), refusal('operator'), unknown, undefined])(
    'commits what the chain shows, whatever was answered',
    (answer) => {
      expect(decideSettlement(facts, { kind: 'settled', ...at }, answer)).toEqual({ kind: 'commit', transaction: at.transaction })
    },
  )

  it.each(['unconfirmed', 'unavailable'] as const)('decides nothing while the chain is %s, not even after a refusal', (kind) => {
    const finding: SettlementFinding = kind === 'unconfirmed' ? { kind, ...at } : { kind, why: 'x' }
    for (const answer of [refusal('payer'), unknown, undefined])
      expect(decideSettlement(facts, finding, answer).kind).toBe('wait')
  })

  it('voids at validBefore by the confirmed block, not by the latest', () => {
    expect(decideSettlement(facts, unusedAt(999n), unknown)).toMatchObject({ kind: 'wait' })
    expect(decideSettlement(facts, unusedAt(1_000n))).toEqual({
      kind: 'void',
      reason: 'authorization_expired',
      onlyFirst: false,
      watched: false,
    })
  })

  it('takes a refusal for final only when it is the payer’s and answers the only submission', () => {
    expect(decideSettlement(facts, unusedAt(1n), refusal('payer'))).toMatchObject({
      kind: 'void',
      onlyFirst: true,
      watched: true,
    })
    expect(decideSettlement(facts, unusedAt(1n), refusal('operator')).kind).toBe('wait')
    expect(decideSettlement({ ...facts, submissions: 2 }, unusedAt(1n), refusal('payer')).kind).toBe('wait')
  })

  it('submits what a dead process left at once, and what is unknown after a while', () => {
    expect(decideSettlement(facts, unusedAt(1n)).kind).toBe('submit')
    const kinds = [0, 1, 2, 3, 9].map((checks) => decideSettlement({ ...facts, state: 'unknown', checks }, unusedAt(1n)).kind)
    expect(kinds).toEqual(['wait', 'wait', 'wait', 'submit', 'submit'])
  })

  it('asks again after 0.5 s, doubling to 30 s', () => {
    expect([0, 1, 2, 5, 6, 50, 5_000].map(checkDelayMs)).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000])
  })
})

describe('confirmations', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig()
  })
  afterAll(() => rig?.stop())

  it('a transfer counts when enough blocks hold it or were built on it', async () => {
    const ledger = rig.ledger({ confirmations: 3, confirmWaitMs: 0 })
    const job = await signedJob(rig.keyring, await rig.wallet(1))
    await ledger.recordJob(job)
    await ledger.take(succeeded(rig.keyring, job))
    const chain = connectChain(rig.chain.rpcUrl)
    for (const expected of ['settlement_unknown', 'settlement_unknown', 'settled']) {
      await rig.makeDue()
      await ledger.reconcile()
      await ledger.idle(30_000)
      expect((await rig.look(job)).state).toBe(expected)
      await chain.mine({ blocks: 1 })
    }
    expect(rig.facilitator.seen()).toHaveLength(1)
  })
})
