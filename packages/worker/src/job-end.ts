import {
  type FailureCode,
  type JobEvent,
  OUTCOME_VERSION,
  type OutcomeEvent,
  type Result,
  type UnsuccessfulOutcome,
} from '@turnpike/contracts'

/** How a job ended, before its body is sealed and packed. `code` decides what the client is told: no text of an upstream goes along. */
export type UnsuccessfulEnd = { kind: UnsuccessfulOutcome['kind']; code: FailureCode; retryAfterS?: number }
/** `usage` as it will stand on the receipt: what the provider reported. */
export type JobUsage = Record<string, unknown>
export type JobEnd = { kind: 'succeeded'; body: Buffer; contentType: string; usage: JobUsage } | UnsuccessfulEnd
/** This start of the job never got to the provider. */
export type NotCalled = { kind: 'not_called'; end: UnsuccessfulEnd }

export const OUTCOME_UNKNOWN: UnsuccessfulEnd = { kind: 'ambiguous', code: 'provider_outcome_unknown' }

const MAX_RETRY_AFTER_S = 3_600

export function notCalled(code: FailureCode, kind: 'failed' | 'refused' = 'failed'): NotCalled {
  return { kind: 'not_called', end: { kind, code } }
}

/**
 * A start that never got to the provider is definite when it was the first; on a later one the earlier may have reached it, and only
 * the provider knows.
 */
export function endOf(start: number, end: JobEnd | NotCalled): JobEnd {
  if (end.kind !== 'not_called') return end
  return start === 1 ? end.end : OUTCOME_UNKNOWN
}

/** What a provider's own answer comes to, whatever its upstream; waits are bounded. `circuit_open`: none of its targets was called. */
export function unsuccessfulEnd(outcome: {
  kind: UnsuccessfulOutcome['kind']
  code: FailureCode
  reason?: string
  retryAfterMs?: number
}): UnsuccessfulEnd | NotCalled {
  const { kind, code, reason, retryAfterMs } = outcome
  const retryAfterS = retryAfterMs === undefined ? undefined : Math.min(MAX_RETRY_AFTER_S, Math.ceil(retryAfterMs / 1000))
  const end: UnsuccessfulEnd = retryAfterS === undefined ? { kind, code } : { kind, code, retryAfterS }
  return reason === 'circuit_open' ? { kind: 'not_called', end } : end
}

type JobIds = Pick<JobEvent, 'jobId' | 'keyHash'>
/** Epoch milliseconds; `startedAt` null where nobody here began with the job. */
export type JobTimes = { startedAt: number | null; finishedAt: number }

export function succeededEvent(job: JobIds, times: JobTimes, result: Result, usage: JobUsage): OutcomeEvent {
  return { ...common(job, times), kind: 'succeeded', result, usage }
}

export function unsuccessfulEvent(job: JobIds, times: JobTimes, end: UnsuccessfulEnd): OutcomeEvent {
  return { ...common(job, times), ...end }
}

function common({ jobId, keyHash }: JobIds, { startedAt, finishedAt }: JobTimes) {
  return { type: 'outcome', version: OUTCOME_VERSION, jobId, keyHash, startedAt, finishedAt } as const
}
