import { outcomeCodec } from '@turnpike/contracts'
import { expect, it } from 'vitest'
import { endOf, notCalled, succeededEvent, unsuccessfulEnd, unsuccessfulEvent } from './job-end.ts'

const JOB = { jobId: 'a'.repeat(64), keyHash: 'b'.repeat(43) }

it('is definite when nothing was ever started, and unknown when an earlier start may have got through', () => {
  const unknown = { kind: 'ambiguous', code: 'provider_outcome_unknown' }
  expect(endOf(1, notCalled('deadline_passed'))).toEqual({ kind: 'failed', code: 'deadline_passed' })
  expect(endOf(1, notCalled('image_unavailable', 'refused'))).toEqual({ kind: 'refused', code: 'image_unavailable' })
  expect(endOf(2, notCalled('deadline_passed'))).toEqual(unknown)
  expect(endOf(2, notCalled('job_unreadable'))).toEqual(unknown)
  expect(endOf(2, { kind: 'failed', code: 'provider_unavailable' })).toEqual({ kind: 'failed', code: 'provider_unavailable' })
})

it('passes the wait of an upstream on in whole seconds, within an hour', () => {
  const failed = { kind: 'failed', code: 'provider_overloaded', reason: 'rate_limited', executed: false } as const
  expect(unsuccessfulEnd({ ...failed, retryAfterMs: 1_200 })).toEqual({
    kind: 'failed',
    code: 'provider_overloaded',
    retryAfterS: 2,
  })
  expect(unsuccessfulEnd({ ...failed, retryAfterMs: 90_000_000 })).toMatchObject({ retryAfterS: 3_600 })
  expect(unsuccessfulEnd(failed)).toEqual({ kind: 'failed', code: 'provider_overloaded' })
})

it('is not called when every target was passed over', () => {
  const failed = { kind: 'failed', code: 'provider_overloaded', reason: 'circuit_open', retryAfterMs: 2_000 } as const
  const end = unsuccessfulEnd(failed)
  expect(endOf(1, end)).toEqual({ kind: 'failed', code: 'provider_overloaded', retryAfterS: 2 })
  expect(endOf(2, end)).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown' })
})

it('makes events that the schema takes', () => {
  const result = { contentType: 'application/json', body: { inline: 'eA==' }, sha256: 'c'.repeat(64), bytes: 1 }
  const succeeded = succeededEvent(JOB, { startedAt: 1, finishedAt: 2 }, result, { input_tokens: 9, output_tokens: 7 })
  expect(outcomeCodec.decode(outcomeCodec.encode(succeeded, 'current'))).toEqual({ ok: true, event: succeeded })
  expect(succeeded).toMatchObject({ usage: { input_tokens: 9, output_tokens: 7 } })
  const ambiguous = unsuccessfulEvent(
    JOB,
    { startedAt: null, finishedAt: 2 },
    { kind: 'ambiguous', code: 'provider_outcome_unknown' },
  )
  expect(outcomeCodec.decode(outcomeCodec.encode(ambiguous, 'current'))).toEqual({ ok: true, event: ambiguous })
})
