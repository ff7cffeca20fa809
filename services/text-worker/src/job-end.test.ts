import { outcomeCodec } from '@turnpike/contracts'
import { expect, it } from 'vitest'
import { endedBeforeCall, succeededEvent, unsuccessfulEnd, unsuccessfulEvent } from './job-end.ts'

const JOB = { jobId: 'a'.repeat(64), keyHash: 'b'.repeat(43) }

it('is definite when nothing was ever started, and unknown when an earlier start may have got through', () => {
  expect(endedBeforeCall(1, 'deadline_passed')).toEqual({ kind: 'failed', code: 'deadline_passed' })
  expect(endedBeforeCall(2, 'deadline_passed')).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown' })
  expect(endedBeforeCall(2, 'job_unreadable')).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown' })
})

it('passes the wait of an upstream on in whole seconds, within an hour', () => {
  const failed = {
    kind: 'failed',
    code: 'provider_overloaded',
    reason: 'rate_limited',
    transient: true,
    executed: false,
  } as const
  expect(unsuccessfulEnd({ ...failed, retryAfterMs: 1_200 })).toEqual({
    kind: 'failed',
    code: 'provider_overloaded',
    retryAfterS: 2,
  })
  expect(unsuccessfulEnd({ ...failed, retryAfterMs: 90_000_000 })).toMatchObject({ retryAfterS: 3_600 })
  expect(unsuccessfulEnd(failed)).toEqual({ kind: 'failed', code: 'provider_overloaded' })
})

it('makes events that the schema takes', () => {
  const usage = { inputTokens: 9, cachedInputTokens: 4, outputTokens: 7, reasoningTokens: 2 }
  const result = { contentType: 'application/json', body: { inline: 'eA==' }, sha256: 'c'.repeat(64), bytes: 1 }
  const succeeded = succeededEvent(JOB, 1, result, usage)
  expect(outcomeCodec.decode(outcomeCodec.encode(succeeded))).toEqual({ ok: true, event: succeeded })
  expect(succeeded).toMatchObject({
    usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 7, reasoning_tokens: 2, total_tokens: 16 },
  })
  const ambiguous = unsuccessfulEvent(JOB, 1, endedBeforeCall(2, 'deadline_passed'))
  expect(outcomeCodec.decode(outcomeCodec.encode(ambiguous))).toEqual({ ok: true, event: ambiguous })
})
