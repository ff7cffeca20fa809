import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { Exchange } from '../exchange.ts'
import { ambiguous, blocked, failed, rejected, retryAfterHeaderMs, transient } from '../exchange-outcome.ts'
import { parseElevenLabsError } from './wire-error.ts'

type Response = Extract<Exchange, { kind: 'response' }>

// Names that the operator configured. A voice is the client's choice among many, so it says nothing about the target.
const TARGET_CODES = new Set(['model_not_found', 'invalid_model_id', 'model_can_not_do_text_to_speech'])
const VOICE_CODES = new Set(['voice_not_found', 'voice_disabled'])
/** The key, the plan or the credits behind it; several come as a 400. */
const ACCOUNT_CODES =
  /^(invalid_api_key|needs_authorization|missing_permissions|quota_exceeded|detected_unusual_activity|payment_required|.*_not_allowed|.*subscription.*|max_.*_limit_reached)$/
const CONTENT_CODES = new Set(['content_against_policy', 'content_moderated'])

/** The one place that decides what an error of this vendor came to, for every one of its endpoints. */
export function classifyElevenLabsError({ status, headers, body, end }: Response, now: number): ProviderOutcome<never> {
  const error = end === 'whole' ? parseElevenLabsError(body) : undefined
  const has = (test: (code: string) => boolean) => error?.codes.some(test) ?? false
  switch (status) {
    case 400:
    case 401:
    case 402:
    case 403:
    case 404:
      if (has((code) => CONTENT_CODES.has(code))) return blocked()
      if (has((code) => VOICE_CODES.has(code))) return failed('provider_unavailable', 'voice_missing')
      if (status === 404 || has((code) => TARGET_CODES.has(code))) return failed('provider_unavailable', 'target_missing')
      // 402 is a plan that does not cover the call. Without the vendor's own word a 400 says nothing about the client.
      if (status !== 400 || error === undefined || has((code) => ACCOUNT_CODES.test(code))) {
        return failed('provider_unavailable', 'credentials_refused')
      }
      return rejected()
    case 413:
    case 422:
      return rejected()
    case 429:
      // Counted before anything runs: concurrent requests of the plan, or the vendor's own load.
      return transient(
        has((code) => code === 'system_busy') ? 'overloaded' : 'rate_limited',
        retryAfterHeaderMs(headers['retry-after'], now),
      )
    case 503:
      // The API shedding load before it runs anything. Any other 503 may come from a proxy that lost a running call.
      if (has((code) => code === 'system_busy')) return transient('overloaded', retryAfterHeaderMs(headers['retry-after'], now))
      return ambiguous('unexpected_status')
    default:
      // 500 too: nothing is published about what it does to credits. 502, 504 and the rest prove nothing.
      return ambiguous('unexpected_status')
  }
}
