import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fundWallet, partFolder } from '@turnpike/local'
import { callsWith, clearFaults, HELD_MS, post, setFaults, transfersToSeller, until } from '@turnpike/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { altered } from '../authorizations.ts'
import { expectFailure } from '../error-answer.ts'
import { signed } from '../walk-failure.ts'
import {
  expectNothingDone,
  expectPaid,
  expectStrict,
  expectStrictThroughClient,
  isCalled,
  LIMITS,
  type StrictStack,
  whileStopped,
} from './strict-stack.ts'

/** What a client is told while a part stands still, and that it gets its result afterwards. */
export function describeStandstill(strict: () => StrictStack): void {
  afterEach(() => clearFaults(strict().stack))

  it('an undecided settlement is 503 for signed and unsigned alike, never 402, and becomes the result for one transfer', async () => {
    const { stack, processes } = strict()
    const attempt = await strict().attempt()
    const other = await strict().attempt()
    const [payment, anew, othersPayment] = await Promise.all([signed(attempt), signed(attempt), signed(other)])
    const stranger = { ...attempt, wallet: await fundWallet(stack, 1) }
    const foreign = await signed(stranger)
    const forged = altered(payment, ({ payload }) => {
      payload.signature = `0x${'11'.repeat(64)}1b`
    })
    await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: attempt.marker } }])
    const first = post({ ...attempt, payment })
    await isCalled(attempt)
    await whileStopped(processes('facilitator'), async () => {
      await clearFaults(stack)
      await expectStrict(await first, 'settlement_pending')
      for (const signature of [undefined, payment, anew, forged]) {
        await expectStrict(await post({ ...attempt, payment: signature }), 'settlement_pending')
      }
      const reused = { status: 409, code: 'idempotency_key_reused', charged: 'no', retryable: false } as const
      await expectFailure(await post({ ...attempt, payment: foreign }), reused, strict().dialect)
      await expectStrictThroughClient(attempt, 'settlement_pending')
      expect(await transfersToSeller(stack, attempt.wallet.address)).toEqual([])

      // Nobody is asked to sign meanwhile.
      await expectStrict(await post(other), 'dependency_unavailable')
      await expectStrict(await post({ ...other, payment: othersPayment }), 'dependency_unavailable')
      await expectStrictThroughClient(other, 'dependency_unavailable')
      await expectNothingDone(other)
    })
    const answer = await until('the result', async () => {
      const response = await post({ ...attempt, payment: anew })
      if (response.status === 200) return response
      await expectStrict(response, 'settlement_pending')
      return undefined
    })
    expect(await answer.text()).toContain(attempt.marker)
    expect((await post(attempt)).status).toBe(402)
    expect(await transfersToSeller(stack, attempt.wallet.address)).toHaveLength(1)
    expect(await transfersToSeller(stack, stranger.wallet.address)).toEqual([])
    expect(await callsWith(stack, attempt.marker)).toHaveLength(1)
    await until('admission opens', async () => (await fetch(`${stack.baseUrl}/readyz`)).ok)
    await expectPaid(other, othersPayment)
  })

  describe('workers that stand still', () => {
    it('past the wait of the client: 409 in progress; past the deadline: not started, not charged; later both are served', async () => {
      const { processes } = strict()
      const [patient, late] = [await strict().attempt(), await strict().attempt()]
      const [patientPayment, latePayment] = [await signed(patient), await signed(late)]
      const { inProgress, waitingLate } = await whileStopped(processes('text-worker'), async () => {
        const sentAt = Date.now()
        const waiting = post({ ...patient, payment: patientPayment })
        await until('half of the wait is over', () => Date.now() - sentAt > 5_000)
        const lateSentAt = Date.now()
        const waitingLate = post({ ...late, payment: latePayment })
        const inProgress = await waiting
        await until('the deadline has passed', () => Date.now() - lateSentAt > LIMITS.providerTimeoutMs + 200)
        return { inProgress, waitingLate }
      })
      const tooLate = await waitingLate
      await expectStrict(inProgress, 'idempotency_in_progress')
      await expectStrict(tooLate, 'deadline_passed')
      await expectNothingDone(patient)
      await expectNothingDone(late)
      await expectPaid(patient, patientPayment)
      await expectPaid(late, latePayment)
    })

    it('while the request is lost from the store: not executed, not charged, and the same payment is good once more', async () => {
      const { home, stack, processes } = strict()
      const attempt = await strict().attempt({ text: ` ${'word '.repeat(60_000)}` })
      const payment = await signed(attempt)
      const folder = partFolder(home, 's3')
      const { waiting } = await whileStopped(processes('text-worker'), async () => {
        const waiting = post({ ...attempt, payment })
        const lost = await until('the request is stored', () => requestsUnder(folder)[0])
        rmSync(lost)
        return { waiting }
      })
      await expectStrict(await waiting, 'job_unreadable')
      expect(await callsWith(stack, attempt.marker)).toEqual([])
      expect(await transfersToSeller(stack, attempt.wallet.address)).toEqual([])
      await expectPaid(attempt, payment)
    })
  })
}

function requestsUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith('/requests'))
    .map((entry) => join(entry.parentPath, entry.name))
}
