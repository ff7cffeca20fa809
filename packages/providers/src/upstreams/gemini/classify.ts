import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { TextCompletion } from '../../text/text-completion.ts'
import type { Exchange } from '../exchange.ts'
import {
  ambiguous,
  cutShort,
  failed,
  rejected,
  retryAfterHeaderMs,
  transient,
  unanswered,
  unusable,
} from '../exchange-outcome.ts'
import { readResponse } from './read-response.ts'
import { parseError, parseResponse, type WireError } from './wire.ts'

type Response = Extract<Exchange, { kind: 'response' }>

/** The one place that decides what an exchange came to, and so whether it may be repeated and what the client may be told. */
export function classify(exchange: Exchange, now: number): ProviderOutcome<TextCompletion> {
  return classifyExchange(exchange, now, readAnswer)
}

/** For every kind of answer: `readWhole` says what a 200 whose body has arrived came to. */
export function classifyExchange<T>(
  exchange: Exchange,
  now: number,
  readWhole: (body: Buffer) => ProviderOutcome<T>,
): ProviderOutcome<T> {
  if (exchange.kind !== 'response') return unanswered(exchange)
  if (exchange.status !== 200) return classifyError(exchange, now)
  return exchange.end === 'whole' ? readWhole(exchange.body) : cutShort(exchange.end)
}

function readAnswer(body: Buffer): ProviderOutcome<TextCompletion> {
  const response = parseResponse(body)
  // Not this API's answer: a proxy's page, a cut document.
  if (response === undefined) return ambiguous('invalid_body')
  const read = readResponse(response)
  return read.kind === 'completion' ? { kind: 'succeeded', value: read.completion } : unusable(read.reason)
}

function classifyError({ status, headers, body, end }: Response, now: number): ProviderOutcome<never> {
  const error = end === 'whole' ? parseError(body) : undefined
  switch (status) {
    case 400:
      // Only the API's own word makes it the client's fault; a bad key or missing billing is ours and also comes as a 400.
      if (error === undefined || isAboutOurAccount(error)) return failed('provider_unavailable', 'credentials_refused')
      return rejected()
    case 413:
    case 422:
      return rejected()
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
  return retryAfterHeaderMs(header, now)
}
