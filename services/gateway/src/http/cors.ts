import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'

/** What a page may read of an answer. Nothing here rests on cookies, so every origin is welcome. */
const EXPOSED = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-Service-Challenge-Kind',
  'X-Receipt-ID',
  'X-Receipt-Token',
  'X-Request-ID',
  'request-id',
  'X-Catalog-Version',
  'Idempotent-Replayed',
  'Retry-After',
  'x-should-retry',
].join(', ')

export const CORS_HEADERS: OutgoingHttpHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

const PREFLIGHT_AGE_S = 86_400
/** Asked for by most clients; whatever else a client names is allowed too, as long as it is a list of header names. */
const USUAL_HEADERS = 'content-type, x-idempotency-key, payment-signature, authorization, traceparent'
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:\s*,\s*[A-Za-z0-9!#$%&'*+.^_`|~-]+)*$/
const MAX_HEADER_NAMES = 1_024

export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}

/**
 * The answer to a preflight, the same on every path: what a path takes is said by the request itself. Header names are echoed, because
 * `*` leaves out Authorization, and official payment clients send names of their own.
 */
export function preflightHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const asked = request.headers['access-control-request-headers']
  const echo = asked !== undefined && asked.length <= MAX_HEADER_NAMES && HEADER_NAMES.test(asked)
  return {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': echo ? asked : USUAL_HEADERS,
    'access-control-max-age': String(PREFLIGHT_AGE_S),
    vary: 'Access-Control-Request-Headers',
    'cache-control': `public, max-age=${PREFLIGHT_AGE_S}`,
  }
}
