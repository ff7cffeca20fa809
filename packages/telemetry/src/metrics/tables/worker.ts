import { FAILURE_CODES, MODELS } from '@turnpike/contracts'
import { counter, gauge, histogram } from '../metric-table.ts'

/** Why a provider call did not succeed: the reasons of packages/providers. They name no upstream and no content. */
export const PROVIDER_REASONS = [
  'none',
  'connect_failed',
  'not_sent_in_time',
  'nothing_to_send',
  'circuit_open',
  'deadline',
  'upstream_timeout',
  'connection_lost',
  'truncated_body',
  'body_too_large',
  'invalid_body',
  'request_rejected',
  'credentials_refused',
  'target_missing',
  'voice_missing',
  'rate_limited',
  'overloaded',
  'upstream_fault',
  'unexpected_status',
  'blocked',
  'no_content',
  'unusable_stop',
  'broken_result',
] as const

const OUTCOMES = ['succeeded', 'refused', 'failed', 'ambiguous'] as const
/** A target's place in its model's list. */
const TARGETS = ['0', '1', '2', '3', '4'] as const

export const WORKER_METRICS = {
  callsInFlight: gauge('turnpike_provider_calls_in_flight', 'Provider calls that have not ended.', { model: MODELS }),
  calls: counter('turnpike_provider_calls_total', 'Provider calls, by how they ended and why.', {
    model: MODELS,
    outcome: OUTCOMES,
    reason: PROVIDER_REASONS,
  }),
  callSeconds: histogram('turnpike_provider_call_seconds', 'Duration of provider calls, retries and further targets included.', {
    model: MODELS,
    outcome: OUTCOMES,
  }),
  jobWait: histogram(
    'turnpike_job_wait_seconds',
    "From a job's admission until a worker begins with it: publication, the queue in Kafka, fetching.",
  ),
  outcomes: counter('turnpike_outcomes_published_total', 'Outcomes published.', {
    kind: OUTCOMES,
    code: ['none', ...FAILURE_CODES],
  }),
  unfinishedStarts: counter(
    'turnpike_job_starts_exhausted_total',
    'Jobs that were started too often without an end and are given up as ambiguous.',
  ),
}

/** Of a model's upstream targets, each by its place in the model's list. */
export const TARGET_METRICS = {
  calls: counter('turnpike_target_calls_total', 'Jobs at a target, its retries included, by how they ended.', {
    model: MODELS,
    target: TARGETS,
    outcome: OUTCOMES,
    reason: PROVIDER_REASONS,
  }),
  seconds: histogram('turnpike_target_call_seconds', 'Duration of jobs at a target.', { model: MODELS, target: TARGETS }),
  open: gauge(
    'turnpike_target_open',
    'State of the circuit breaker of a target: 1 while it is not called because it keeps failing, 0 when it is called again.',
    { model: MODELS, target: TARGETS },
  ),
}
