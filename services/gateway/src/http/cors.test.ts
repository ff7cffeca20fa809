import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { CORS_HEADERS, isPreflight, preflightHeaders } from './cors.ts'

const asking = (headers: Record<string, string>, method = 'OPTIONS') => ({ method, headers }) as unknown as IncomingMessage

describe('a preflight', () => {
  it('is an OPTIONS that names a method', () => {
    expect(isPreflight(asking({ 'access-control-request-method': 'POST' }))).toBe(true)
    expect(isPreflight(asking({}))).toBe(false)
    expect(isPreflight(asking({ 'access-control-request-method': 'POST' }, 'GET'))).toBe(false)
  })

  it('allows the headers that it names and is remembered for a day', () => {
    const named = 'content-type,payment-signature, x-idempotency-key,access-control-expose-headers'
    expect(preflightHeaders(asking({ 'access-control-request-headers': named }))).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': named,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
    })
  })

  it.each(['a\r\nx: y', 'a, ,b', 'é', `a${'b'.repeat(2_000)}`, ''])('does not echo what is no list of names: %j', (named) => {
    const headers = preflightHeaders(asking({ 'access-control-request-headers': named }))
    expect(headers['access-control-allow-headers']).toBe(
      'content-type, x-idempotency-key, payment-signature, authorization, traceparent',
    )
  })
})

it.each(['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-Receipt-ID', 'X-Receipt-Token', 'Idempotent-Replayed', 'Retry-After'])(
  'a page may read %s',
  (name) => expect(CORS_HEADERS['access-control-expose-headers']).toContain(name),
)
