import type { FailureReason, ProviderFailure, ProviderOutcome } from '../../provider-outcome.ts'
import type { TextCompletion } from '../../text/text-completion.ts'
import type { Exchange } from '../exchange.ts'
import { readResponse } from './read-response.ts'
import { parseError, parseResponse, type WireError } from './wire.ts'

type Outcome = ProviderOutcome<TextCompletion>
type Response = Extract<Exchange, { kind: 'response' }>

/** The one place that decides what an exchange came to, and so whether it may be repeated and what the client may be told. */
export function classify(exchange: Exchange, now: number): Outcome {
  switch (exchange.kind) {
    case 'not_sent':
      // No connection, so no request: definite. Another target may sit behind another address.
      return failed('provider_unavailable', exchange.because === 'connect' ? 'connect_failed' : 'not_sent_in_time')
    case 'no_response':
      // The upstream has no idempotency key and keeps working after a hang-up: only it knows whether it ran.
      return ambiguous(NO_RESPONSE[exchange.because])
    case 'response':
      return exchange.status === 200 ? classifyAnswer(exchange) : classifyError(exchange, now)
  }
}

const NO_RESPONSE = { aborted: 'deadline', timeout: 'upstream_timeout', connection: 'connection_lost' } as const
const CUT_SHORT = { ...NO_RESPONSE, connection: 'truncated_body', too_large: 'body_too_large' } as const

function classifyAnswer({ body, end }: Response): Outcome {
  // It said 200, but what it made did not arrive.
  if (end !== 'whole') return ambiguous(CUT_SHORT[end])
  const response = parseResponse(body)
  // Not this API's answer: a proxy's page, a cut document.
  if (response === undefined) return ambiguous('invalid_body')
  const read = readResponse(response)
  if (read.kind === 'completion') return { kind: 'succeeded', value: read.completion }
  // Executed and billed, nothing to give to the client: definite, and not repeated at our cost.
  return { ...failed('provider_unusable_answer', read.reason), executed: true }
}

function classifyError({ status, headers, body, end }: Response, now: number): Outcome {
  const error = end === 'whole' ? parseError(body) : undefined
  switch (status) {
    case 400:
      // Only the API's own word makes it the client's fault; a bad key or missing billing is ours and also comes as a 400.
      if (error === undefined || isAboutOurAccount(error)) return failed('provider_unavailable', 'credentials_refused')
      return { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }
    case 413:
    case 422:
      return { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }
    case 401:
    case 403:
      return failed('provider_unavailable', 'credentials_refused')
    case 404:
      // The target's name is operator configuration; another target may exist.
      return failed('provider_unavailable', 'target_missing')
    case 429:
      // Counted before anything runs.
      return transient('rate_limited', retryAfterMs(error, headers['retry-after'], now))
    case 500:
      // The API's own INTERNAL is not charged (its billing FAQ); a page from something in between proves nothing.
      return error === undefined ? ambiguous('unexpected_status') : failed('provider_unavailable', 'upstream_fault')
    case 503:
      // UNAVAILABLE is the API shedding load before it runs anything. Any other 503 may come from a proxy that lost a running call.
      if (error?.status === 'UNAVAILABLE') return transient('overloaded', retryAfterMs(error, headers['retry-after'], now))
      return ambiguous('unexpected_status')
    default:
      // 502, 504 and whatever else was never seen: nothing is assumed about it.
      return ambiguous('unexpected_status')
  }
}

/** Reasons of google.rpc.ErrorInfo that speak of the key, the project or its billing. */
const ACCOUNT_REASON = /^(API_KEY_|BILLING_|CONSUMER_|SERVICE_DISABLED|USER_PROJECT_|ACCESS_TOKEN_|CREDENTIALS_)/
/** Details are often absent; then the sentence is all there is. */
const ACCOUNT_MESSAGE = /\bapi key (not valid|not found|expired|invalid)|\bbilling\b/i

function isAboutOurAccount(error: WireError): boolean {
  // FAILED_PRECONDITION is billing or region, never the request.
  if (error.status !== 'INVALID_ARGUMENT' && error.status !== 'OUT_OF_RANGE') return true
  const reasons = (error.details ?? []).flatMap((detail) => detail.reason ?? [])
  return reasons.some((reason) => ACCOUNT_REASON.test(reason)) || ACCOUNT_MESSAGE.test(error.message ?? '')
}

/** RetryInfo.retryDelay ("26s", "0.5s") knows better than Retry-After (seconds or an HTTP date). */
export function retryAfterMs(
  error: WireError | undefined,
  header: string | string[] | undefined,
  now: number,
): number | undefined {
  for (const { retryDelay } of error?.details ?? []) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(retryDelay ?? '')?.[1]
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (text === undefined || text === '') return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

function failed(code: ProviderFailure['code'], reason: FailureReason): ProviderFailure {
  return { kind: 'failed', code, reason, transient: false, executed: false }
}

function transient(reason: 'rate_limited' | 'overloaded', waitMs: number | undefined): ProviderFailure {
  return {
    ...failed('provider_overloaded', reason),
    transient: true,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  }
}

function ambiguous(reason: FailureReason): Outcome {
  return { kind: 'ambiguous', code: 'provider_outcome_unknown', reason }
}
