// The error codes that an outcome may carry. Each is a row of the error table.
export const FAILURE_CODES = [
  'provider_unavailable',
  'provider_overloaded',
  'provider_unusable_answer',
  'provider_rejected_request',
  'provider_outcome_unknown',
  'content_blocked',
  'image_unavailable',
  'deadline_passed',
  'job_unreadable',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]
