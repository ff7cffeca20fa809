import { describe, expect, it } from 'vitest'
import type { Exchange } from '../exchange.ts'
import { classify, retryAfterMs } from './classify.ts'
import { fixture } from './fixture.ts'

const NOW = Date.parse('2026-11-20T10:00:00Z')
type Response = Extract<Exchange, { kind: 'response' }>

function answered(status: number, body: Buffer | string, rest: Partial<Response> = {}): Response {
  return { kind: 'response', status, headers: {}, body: Buffer.from(body), end: 'whole', ...rest }
}
const summary = (exchange: Exchange) => {
  const outcome = classify(exchange, NOW)
  switch (outcome.kind) {
    case 'succeeded':
      return outcome.value.stop
    case 'failed': {
      const marks = [outcome.transient ? 'transient' : '', outcome.executed ? 'executed' : ''].filter(Boolean)
      return ['failed', outcome.code, outcome.reason, ...marks].join(' ')
    }
    default:
      return [outcome.kind, outcome.code, outcome.reason].join(' ')
  }
}
const html = '<!DOCTYPE html><html><title>Error</title></html>'

describe('an exchange that never left this process is definite', () => {
  it.each<[Exchange, string]>([
    [{ kind: 'not_sent', because: 'connect' }, 'failed provider_unavailable connect_failed'],
    [{ kind: 'not_sent', because: 'aborted' }, 'failed provider_unavailable not_sent_in_time'],
  ])('%j', (exchange, expected) => expect(summary(exchange)).toBe(expected))
})

describe('an exchange without a status is ambiguous', () => {
  it.each<[Exchange, string]>([
    [{ kind: 'no_response', because: 'aborted' }, 'ambiguous provider_outcome_unknown deadline'],
    [{ kind: 'no_response', because: 'timeout' }, 'ambiguous provider_outcome_unknown upstream_timeout'],
    [{ kind: 'no_response', because: 'connection' }, 'ambiguous provider_outcome_unknown connection_lost'],
  ])('%j', (exchange, expected) => expect(summary(exchange)).toBe(expected))
})

describe('a 200', () => {
  it.each<[string, Response, string]>([
    ['a whole answer', answered(200, fixture('answer')), 'finished'],
    ['an answer with thoughts', answered(200, fixture('answer-with-thoughts')), 'finished'],
    ['an answer with calls', answered(200, fixture('answer-with-calls')), 'tool_calls'],
    ['a ceiling used up by thoughts', answered(200, fixture('ceiling-eaten-by-thoughts')), 'length'],
    ['a blocked prompt', answered(200, fixture('blocked-prompt')), 'filtered'],
    ['a filtered answer', answered(200, fixture('filtered-midway')), 'filtered'],
    ['no parts', answered(200, fixture('no-parts')), 'failed provider_unusable_answer no_content executed'],
    ['a malformed call', answered(200, fixture('malformed-call')), 'failed provider_unusable_answer unusable_stop executed'],
    ['no candidates', answered(200, '{}'), 'failed provider_unusable_answer no_content executed'],
    ['a page', answered(200, html), 'ambiguous provider_outcome_unknown invalid_body'],
    ['half a document', answered(200, fixture('answer').subarray(0, 80)), 'ambiguous provider_outcome_unknown invalid_body'],
    ['another JSON', answered(200, '[1]'), 'ambiguous provider_outcome_unknown invalid_body'],
    ['a wrong type', answered(200, '{"candidates":{}}'), 'ambiguous provider_outcome_unknown invalid_body'],
    ['an empty body', answered(200, ''), 'ambiguous provider_outcome_unknown invalid_body'],
    [
      'a lost connection',
      answered(200, fixture('answer'), { end: 'connection' }),
      'ambiguous provider_outcome_unknown truncated_body',
    ],
    ['a late body', answered(200, '', { end: 'aborted' }), 'ambiguous provider_outcome_unknown deadline'],
    ['a silent body', answered(200, '', { end: 'timeout' }), 'ambiguous provider_outcome_unknown upstream_timeout'],
    ['a huge body', answered(200, '', { end: 'too_large' }), 'ambiguous provider_outcome_unknown body_too_large'],
  ])('with %s', (_title, exchange, expected) => expect(summary(exchange)).toBe(expected))
})

describe('an error status', () => {
  const rejected = 'refused provider_rejected_request request_rejected'
  const account = 'failed provider_unavailable credentials_refused'
  const unexpected = 'ambiguous provider_outcome_unknown unexpected_status'
  const limited = 'failed provider_overloaded rate_limited transient'
  it.each<[string, Response, string]>([
    ['400 about the request', answered(400, fixture('error-400-unknown-field')), rejected],
    ['400 about the key', answered(400, fixture('error-400-bad-key')), account],
    ['400 about the key, no details', answered(400, fixture('error-400-bad-key-without-details')), account],
    ['400 about billing', answered(400, fixture('error-400-billing')), account],
    ['400 that is not the API speaking', answered(400, html), account],
    ['401', answered(401, ''), account],
    ['403', answered(403, fixture('error-403')), account],
    ['404', answered(404, fixture('error-404')), 'failed provider_unavailable target_missing'],
    ['413', answered(413, html), rejected],
    ['422', answered(422, '{}'), rejected],
    ['429 with details', answered(429, fixture('error-429-with-retry-info')), limited],
    ['429 without details', answered(429, fixture('error-429-without-details')), limited],
    ['429 cut short', answered(429, '{"err', { end: 'connection' }), limited],
    ['500', answered(500, fixture('error-500')), 'failed provider_unavailable upstream_fault'],
    ['500 that is not the API speaking', answered(500, html), unexpected],
    ['503', answered(503, fixture('error-503')), 'failed provider_overloaded overloaded transient'],
    ['503 that is not the API speaking', answered(503, html), unexpected],
    ['503 cut short', answered(503, fixture('error-503'), { end: 'connection' }), unexpected],
    ['503 with another status', answered(503, '{"error":{"code":503,"message":"","status":"ABORTED"}}'), unexpected],
    ['502', answered(502, html), unexpected],
    ['504', answered(504, fixture('error-504')), unexpected],
    ['302', answered(302, ''), unexpected],
    ['204', answered(204, ''), unexpected],
    ['408', answered(408, ''), unexpected],
  ])('%s', (_title, exchange, expected) => expect(summary(exchange)).toBe(expected))

  it('carries the wait that the upstream asked for', () => {
    const outcome = classify(answered(429, fixture('error-429-with-retry-info'), { headers: { 'retry-after': '3' } }), NOW)
    expect(outcome).toMatchObject({ kind: 'failed', retryAfterMs: 26_000 })
  })
})

describe('the wait that an upstream asks for', () => {
  it.each<[string | undefined, number | undefined]>([
    ['7', 7_000],
    ['0', 0],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Retry-After %s', (header, expected) => expect(retryAfterMs(undefined, header, NOW)).toBe(expected))

  it('reads fractions of a second and ignores what is not a duration', () => {
    expect(retryAfterMs({ status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '0.25s' }] }, undefined, NOW)).toBe(250)
    expect(retryAfterMs({ status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: 'later' }] }, '2', NOW)).toBe(2_000)
  })
})
