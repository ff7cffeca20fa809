import type { FailureReason, ProviderFailure, ProviderOutcome } from '../provider-outcome.ts'
import type { Exchange } from './exchange.ts'

// What every upstream's classify.ts says in the same words.

type Unsuccessful = Exclude<ProviderOutcome<never>, { kind: 'succeeded' }>

const NO_RESPONSE = { aborted: 'deadline', timeout: 'upstream_timeout', connection: 'connection_lost' } as const
const CUT_SHORT = { ...NO_RESPONSE, connection: 'truncated_body', too_large: 'body_too_large' } as const

/** An exchange that brought no status. */
export function unanswered(exchange: Exclude<Exchange, { kind: 'response' }>): Unsuccessful {
  if (exchange.kind === 'not_sent') {
    // No connection, so no request: definite. Another target may sit behind another address.
    return failed('provider_unavailable', exchange.because === 'connect' ? 'connect_failed' : 'not_sent_in_time')
  }
  // The upstream has no idempotency key and keeps working after a hang-up: only it knows whether it ran.
  return ambiguous(NO_RESPONSE[exchange.because])
}

/** It said 200, but what it made did not arrive. */
export function cutShort(end: keyof typeof CUT_SHORT): Unsuccessful {
  return ambiguous(CUT_SHORT[end])
}

export function failed(code: ProviderFailure['code'], reason: FailureReason): ProviderFailure {
  return { kind: 'failed', code, reason, transient: false, executed: false }
}

/** Executed and billed, nothing to give to the client: definite, and not repeated at our cost. */
export function unusable(reason: FailureReason): ProviderFailure {
  return { ...failed('provider_unusable_answer', reason), executed: true }
}

export function transient(reason: 'rate_limited' | 'overloaded', waitMs: number | undefined): ProviderFailure {
  return {
    ...failed('provider_overloaded', reason),
    transient: true,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  }
}

export function rejected(): Unsuccessful {
  return { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }
}

/** The provider will not make this content for anybody. */
export function blocked(): Unsuccessful {
  return { kind: 'refused', code: 'content_blocked', reason: 'blocked' }
}

export function ambiguous(reason: FailureReason): Unsuccessful {
  return { kind: 'ambiguous', code: 'provider_outcome_unknown', reason }
}

/** Of a Retry-After header: seconds or an HTTP date. */
export function retryAfterHeaderMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (text === undefined || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
