import type { FailureReason, ProviderOutcome } from './provider-outcome.ts'

/** What a call tells of its target: that it is there, that it is not, or nothing (the call never got to it). */
export type Availability = 'answered' | 'failed' | 'unknown'

// A request that is refused, and an answer of no use, were answered all the same: a client must not close a model by what it sends.
const AFTER: Record<FailureReason, Availability> = {
  connect_failed: 'failed',
  not_sent_in_time: 'unknown',
  nothing_to_send: 'unknown',
  circuit_open: 'unknown',
  deadline: 'failed',
  upstream_timeout: 'failed',
  connection_lost: 'failed',
  truncated_body: 'failed',
  body_too_large: 'answered',
  invalid_body: 'failed',
  request_rejected: 'answered',
  credentials_refused: 'failed',
  target_missing: 'failed',
  voice_missing: 'answered',
  rate_limited: 'failed',
  overloaded: 'failed',
  upstream_fault: 'failed',
  unexpected_status: 'failed',
  blocked: 'answered',
  no_content: 'answered',
  unusable_stop: 'answered',
  broken_result: 'answered',
}

export function availabilityAfter(outcome: ProviderOutcome<unknown>): Availability {
  return outcome.kind === 'succeeded' ? 'answered' : AFTER[outcome.reason]
}
