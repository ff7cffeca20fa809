import { describe, expect, it } from 'vitest'
import type { Exchange } from '../exchange.ts'
import { classifyTranscription } from './classify-transcription.ts'
import { fixture } from './fixture.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const HTML = Buffer.from('<!DOCTYPE html><title>502</title>')
type Response = Extract<Exchange, { kind: 'response' }>
const response = (changes: Partial<Response>): Exchange => ({
  kind: 'response',
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: fixture('transcript'),
  end: 'whole',
  ...changes,
})
const recorded = (name: string, status = 200): Exchange => response({ status, body: fixture(name) })

describe('a transcript', () => {
  it('is read with its words, speakers, events and language', () => {
    const outcome = classifyTranscription(recorded('transcript'), NOW)
    if (outcome.kind !== 'succeeded') throw new Error(outcome.kind)
    const { words, ...rest } = outcome.value
    expect(rest).toEqual({
      text: 'The gate is open. (bell rings)',
      languageCode: 'eng',
      languageProbability: 0.9823,
      audioSeconds: 2.04,
    })
    expect(words).toHaveLength(9)
    expect(words[0]).toEqual({ text: 'The', type: 'word', startS: 0.119, endS: 0.259, speaker: 'speaker_0' })
    expect(words[1]).toMatchObject({ text: ' ', type: 'spacing' })
    expect(words[8]).toMatchObject({ text: '(bell rings)', type: 'audio_event' })
    expect(words.map(({ text }) => text).join('')).toBe(rest.text)
  })

  it('may have a time for every character', () => {
    expect(classifyTranscription(recorded('transcript-characters'), NOW)).toMatchObject({
      kind: 'succeeded',
      value: {
        languageProbability: 1,
        words: [
          {
            text: 'Ja!',
            characters: [
              { text: 'J', startS: 0.1, endS: 0.2 },
              { text: 'a', startS: 0.2, endS: 0.3 },
              { text: '!', startS: 0.3, endS: 0.4 },
            ],
          },
        ],
      },
    })
  })

  it('of silence is empty and a success', () => {
    expect(classifyTranscription(recorded('transcript-silence'), NOW)).toMatchObject({
      kind: 'succeeded',
      value: { text: '', words: [] },
    })
  })

  it('needs nothing but its text, and leaves out words of a type that nobody knows', () => {
    const body = Buffer.from('{"text":"a","words":[{"text":"a","type":"gesture"},{"text":"b","type":"word","start":null}]}')
    expect(classifyTranscription(response({ body }), NOW)).toEqual({
      kind: 'succeeded',
      value: { text: 'a', words: [{ text: 'b', type: 'word' }] },
    })
  })
})

describe('an answer is ambiguous', () => {
  it.each<[string, Exchange, string]>([
    ['of several channels', recorded('transcript-channels'), 'invalid_body'],
    ['that is JSON of something else', response({ body: Buffer.from('{"message":"queued"}') }), 'invalid_body'],
    ['that is a page', response({ body: HTML }), 'invalid_body'],
    ['whose words are none', response({ body: Buffer.from('{"text":"a","words":[1]}') }), 'invalid_body'],
    ['that is empty', response({ body: Buffer.alloc(0) }), 'invalid_body'],
    ['that ends early', response({ end: 'connection' }), 'truncated_body'],
    ['that stops coming', response({ end: 'timeout' }), 'upstream_timeout'],
    ['that the deadline cut', response({ end: 'aborted' }), 'deadline'],
    ['without an end', response({ end: 'too_large' }), 'body_too_large'],
    ['of the vendor, as 500', recorded('error-500', 500), 'unexpected_status'],
    ['as a 503 page', response({ status: 503, body: HTML }), 'unexpected_status'],
    ['as a 502', response({ status: 502, body: HTML }), 'unexpected_status'],
    ['that says it is for later', response({ status: 202 }), 'unexpected_status'],
    ['that never came', { kind: 'no_response', because: 'connection' }, 'connection_lost'],
  ])('%s', (_what, exchange, reason) => {
    expect(classifyTranscription(exchange, NOW)).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown', reason })
  })
})

describe('an answer is definite', () => {
  it.each<[string, Exchange, object]>([
    ['audio that it cannot read', recorded('error-400-audio', 400), { kind: 'refused', code: 'provider_rejected_request' }],
    ['an unknown model', recorded('error-400-model', 400), { kind: 'failed', reason: 'target_missing', executed: false }],
    ['a bad key', recorded('error-400-invalid-key', 400), { kind: 'failed', reason: 'credentials_refused' }],
    ['no credits', recorded('error-401-quota', 401), { kind: 'failed', reason: 'credentials_refused' }],
    ['content against policy', recorded('error-403-content', 403), { kind: 'refused', code: 'content_blocked' }],
    ['a body that is too large', response({ status: 413, body: HTML }), { kind: 'refused' }],
    ['a field that is wrong', recorded('error-422', 422), { kind: 'refused', code: 'provider_rejected_request' }],
    ['too many at once', recorded('error-429-concurrent', 429), { kind: 'failed', reason: 'rate_limited', transient: true }],
    ['heavy traffic', recorded('error-503-busy', 503), { kind: 'failed', reason: 'overloaded', transient: true }],
    ['no connection', { kind: 'not_sent', because: 'connect' }, { kind: 'failed', reason: 'connect_failed' }],
  ])('for %s', (_what, exchange, expected) => {
    expect(classifyTranscription(exchange, NOW)).toMatchObject(expected)
  })
})
