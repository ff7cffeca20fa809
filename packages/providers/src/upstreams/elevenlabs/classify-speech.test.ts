import { describe, expect, it } from 'vitest'
import type { Exchange } from '../exchange.ts'
import { classifySpeech } from './classify-speech.ts'
import { fixture } from './fixture.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const HTML = Buffer.from('<!DOCTYPE html><title>502</title>')
const JSON_TYPE = { 'content-type': 'application/json' }
const response = (changes: Partial<Extract<Exchange, { kind: 'response' }>>): Exchange => ({
  kind: 'response',
  status: 200,
  headers: { 'content-type': 'audio/mpeg', 'character-cost': '21' },
  body: Buffer.from('frames'),
  end: 'whole',
  ...changes,
})
const recorded = (status: number, name: string, headers: Record<string, string> = {}): Exchange =>
  response({ status, headers: { ...JSON_TYPE, ...headers }, body: fixture(name) })

describe('speech', () => {
  it('is the bytes as they came, with what they cost', () => {
    expect(classifySpeech(response({}), NOW)).toEqual({
      kind: 'succeeded',
      value: { mp3: Buffer.from('frames'), characterCost: 21 },
    })
    expect(classifySpeech(response({ headers: { 'content-type': 'audio/mpeg' } }), NOW)).toEqual({
      kind: 'succeeded',
      value: { mp3: Buffer.from('frames') },
    })
  })

  it('without a byte was executed and is of no use', () => {
    expect(classifySpeech(response({ body: Buffer.alloc(0) }), NOW)).toMatchObject({
      kind: 'failed',
      code: 'provider_unusable_answer',
      executed: true,
    })
  })

  it.each<[string, Partial<Extract<Exchange, { kind: 'response' }>>, string]>([
    ['that ends early', { end: 'connection' }, 'truncated_body'],
    ['that stops coming', { end: 'timeout' }, 'upstream_timeout'],
    ['that the deadline cut', { end: 'aborted' }, 'deadline'],
    ['without an end', { end: 'too_large' }, 'body_too_large'],
    ['that is no sound', { headers: JSON_TYPE, body: Buffer.from('{}') }, 'invalid_body'],
    ['of no type', { headers: {} }, 'invalid_body'],
  ])('%s is ambiguous', (_title, changes, reason) => {
    expect(classifySpeech(response(changes), NOW)).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown', reason })
  })
})

describe('an error is definite', () => {
  const unavailable = (reason: string) => ({ kind: 'failed', code: 'provider_unavailable', reason, executed: false })
  const overloaded = (reason: string) => ({ kind: 'failed', code: 'provider_overloaded', reason, transient: true })
  const rejected = { kind: 'refused', code: 'provider_rejected_request' }
  it.each<[string, Exchange, object]>([
    ['too many characters', recorded(400, 'error-400-characters'), rejected],
    ['nothing to say', recorded(400, 'error-400-empty-text'), rejected],
    ['an unknown voice', recorded(400, 'error-400-voice'), unavailable('voice_missing')],
    ['an unknown model', recorded(400, 'error-400-model'), unavailable('target_missing')],
    ['a bad key as a 400', recorded(400, 'error-400-invalid-key'), unavailable('credentials_refused')],
    ['a page as a 400', response({ status: 400, body: HTML }), unavailable('credentials_refused')],
    ['no credits left', recorded(401, 'error-401-quota'), unavailable('credentials_refused')],
    ['a suspended account', recorded(401, 'error-401-unusual-activity'), unavailable('credentials_refused')],
    ['a plan that does not cover it', recorded(402, 'error-402-plan'), unavailable('credentials_refused')],
    ['a format outside the plan', recorded(403, 'error-403-format'), unavailable('credentials_refused')],
    ['content against policy', recorded(403, 'error-403-content'), { kind: 'refused', code: 'content_blocked' }],
    ['a wrong address', recorded(404, 'error-404'), unavailable('target_missing')],
    ['a body that is too large', response({ status: 413, body: HTML }), rejected],
    ['a field that is wrong', recorded(422, 'error-422'), rejected],
    ['too many at once', recorded(429, 'error-429-concurrent'), overloaded('rate_limited')],
    ['heavy traffic as a 429', recorded(429, 'error-429-busy'), overloaded('overloaded')],
    ['heavy traffic as a 503', recorded(503, 'error-503-busy'), overloaded('overloaded')],
    ['no connection', { kind: 'not_sent', because: 'connect' }, unavailable('connect_failed')],
  ])('for %s', (_title, exchange, expected) => {
    expect(classifySpeech(exchange, NOW)).toMatchObject(expected)
  })

  it('and says how long to wait where the vendor does', () => {
    const wait = (text: string) => classifySpeech(recorded(429, 'error-429-concurrent', { 'retry-after': text }), NOW)
    expect(wait('3')).toMatchObject({ retryAfterMs: 3_000 })
    expect(wait('Fri, 20 Nov 2026 12:00:07 GMT')).toMatchObject({ retryAfterMs: 7_000 })
    expect(wait('soon')).not.toHaveProperty('retryAfterMs')
  })
})

describe('an error is ambiguous', () => {
  it.each<[string, Exchange]>([
    ['of the vendor itself, as 500', recorded(500, 'error-500')],
    ['a 503 without the vendor busy', response({ status: 503, body: HTML })],
    ['a 503 with another error of the vendor', recorded(503, 'error-500')],
    ['a busy 503 that is cut', response({ status: 503, body: fixture('error-503-busy'), end: 'connection' })],
    ['a 502', response({ status: 502, body: HTML })],
    ['a 504', response({ status: 504, body: HTML })],
    ['a status nobody knows', response({ status: 299 })],
    ['silence until the deadline', { kind: 'no_response', because: 'aborted' }],
    ['a lost connection', { kind: 'no_response', because: 'connection' }],
  ])('%s', (_title, exchange) => {
    expect(classifySpeech(exchange, NOW)).toMatchObject({ kind: 'ambiguous', code: 'provider_outcome_unknown' })
  })
})
