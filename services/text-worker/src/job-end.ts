import {
  type FailureCode,
  type JobEvent,
  OUTCOME_VERSION,
  type OutcomeEvent,
  type Result,
  type UnsuccessfulOutcome,
} from '@turnpike/contracts'
import type { ProviderOutcome, TextCompletion, TokenUsage } from '@turnpike/providers'

/** How a job ended, before its body is sealed and packed. `code` decides what the client is told: no text of an upstream goes along. */
export type UnsuccessfulEnd = { kind: UnsuccessfulOutcome['kind']; code: FailureCode; retryAfterS?: number }
export type JobEnd = { kind: 'succeeded'; body: Buffer; contentType: string; usage: TokenUsage } | UnsuccessfulEnd

export const OUTCOME_UNKNOWN: UnsuccessfulEnd = { kind: 'ambiguous', code: 'provider_outcome_unknown' }

const MAX_RETRY_AFTER_S = 3_600

/**
 * For a start that never got to the provider: definite on the first start; on a later one the earlier may have reached it, and
 * only the provider knows.
 */
export function endedBeforeCall(
  start: number,
  code: 'deadline_passed' | 'job_unreadable' | 'provider_unavailable',
): UnsuccessfulEnd {
  return start === 1 ? { kind: 'failed', code } : OUTCOME_UNKNOWN
}

export function unsuccessfulEnd(outcome: Exclude<ProviderOutcome<TextCompletion>, { kind: 'succeeded' }>): UnsuccessfulEnd {
  const { kind, code } = outcome
  if (kind !== 'failed' || outcome.retryAfterMs === undefined) return { kind, code }
  return { kind, code, retryAfterS: Math.min(MAX_RETRY_AFTER_S, Math.ceil(outcome.retryAfterMs / 1000)) }
}

type JobIds = Pick<JobEvent, 'jobId' | 'keyHash'>

export function succeededEvent(job: JobIds, finishedAt: number, result: Result, usage: TokenUsage): OutcomeEvent {
  return { ...common(job, finishedAt), kind: 'succeeded', result, usage: usageCounts(usage) }
}

export function unsuccessfulEvent(job: JobIds, finishedAt: number, end: UnsuccessfulEnd): OutcomeEvent {
  return { ...common(job, finishedAt), ...end }
}

function common({ jobId, keyHash }: JobIds, finishedAt: number) {
  return { type: 'outcome', version: OUTCOME_VERSION, jobId, keyHash, finishedAt } as const
}

/** As they stand on the receipt. */
function usageCounts(usage: TokenUsage): Record<string, number> {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
