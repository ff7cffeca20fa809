// What one call to an upstream came to. Decided once per upstream, in its classify.ts; everything else only obeys.

export const FAILURE_REASONS = [
  // Nothing was sent
  'connect_failed',
  'not_sent_in_time',
  'nothing_to_send',
  'circuit_open',
  // Sent, no whole answer
  'deadline',
  'upstream_timeout',
  'connection_lost',
  'truncated_body',
  'body_too_large',
  'invalid_body',
  // Answered with an error
  'request_rejected',
  'credentials_refused',
  'target_missing',
  'voice_missing',
  'rate_limited',
  'overloaded',
  'upstream_fault',
  'unexpected_status',
  // Executed, of no use
  'blocked',
  'no_content',
  'unusable_stop',
  'broken_result',
] as const
/** For logs and metric labels: a closed set that names no upstream, no target and no content. */
export type FailureReason = (typeof FAILURE_REASONS)[number]

export type ProviderFailure = {
  kind: 'failed'
  code: 'provider_unavailable' | 'provider_overloaded' | 'provider_unusable_answer'
  reason: FailureReason
  /** The same target may answer in a moment: retried a little inside the deadline. */
  transient: boolean
  /** The upstream did the work and billed it: asking another target would pay twice for one job. */
  executed: boolean
  retryAfterMs?: number
}

/**
 * - `succeeded`: executed, with an answer (a filtered one is an answer too)
 * - `refused`: no target would take this request; `content_blocked` may have been executed, without a result
 * - `failed`: definite, nothing usable was produced
 * - `ambiguous`: it may have been executed; never retried
 */
export type ProviderOutcome<T> =
  | { kind: 'succeeded'; value: T }
  | { kind: 'refused'; code: 'provider_rejected_request' | 'content_blocked'; reason: FailureReason }
  | ProviderFailure
  | { kind: 'ambiguous'; code: 'provider_outcome_unknown'; reason: FailureReason }

/**
 * `signal` fires at `deadlineMs` (epoch) at the latest; the time itself lets a retry see what it still has. `maxRetryDelayMs` is the
 * longest wait for the same target that is worth it here, where that is less than usual.
 */
export type CallLimits = { signal: AbortSignal; deadlineMs: number; maxRetryDelayMs?: number }
