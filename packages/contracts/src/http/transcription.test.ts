import { describe, expect, it } from 'vitest'
import { parseTranscriptionForm, parseTranscriptionJson } from './transcription.ts'
import { decodeCanonicalBase64 } from './transcription-base64.ts'
import { languageCodeOf } from './transcription-language.ts'

const least = { audio_base64: 'AAAA', model: 'el/scribe-v2' }
const defaults = {
  model: 'el/scribe-v2',
  file_format: 'other',
  diarize: false,
  timestamps: 'none',
  tag_audio_events: false,
  response_format: 'json',
}
const everything = {
  ...least,
  file_format: 'other',
  language: 'en',
  diarize: true,
  num_speakers: 32,
  timestamps: 'character',
  tag_audio_events: true,
  response_format: 'verbose_json',
}
const formOf = (fields: Record<string, unknown>) =>
  new Map(Object.entries(fields).flatMap(([name, value]) => (name === 'audio_base64' ? [] : [[name, String(value)] as const])))

describe('a transcription request', () => {
  it('has its defaults filled in, the same in both encodings', () => {
    expect(parseTranscriptionJson(least)).toEqual({ ok: true, value: { options: defaults, audioBase64: 'AAAA' } })
    expect(parseTranscriptionForm(formOf(least))).toEqual({ ok: true, value: defaults })
  })

  it('takes every option, the same in both encodings', () => {
    const { audio_base64: _audio, ...options } = everything
    expect(parseTranscriptionJson(everything)).toMatchObject({ ok: true, value: { options } })
    expect(parseTranscriptionForm(formOf(everything))).toEqual({ ok: true, value: options })
  })

  it.each<[string, Record<string, unknown>]>([
    ['model', { model: 7 }],
    ['file_format', { file_format: 'pcm_s16le_16' }],
    ['language', { language: '' }],
    ['language', { language: 'english' }],
    ['diarize', { diarize: 'yes' }],
    ['num_speakers', { num_speakers: 0 }],
    ['num_speakers', { num_speakers: 33 }],
    ['num_speakers', { num_speakers: 1.5 }],
    ['timestamps', { timestamps: 'segment' }],
    ['tag_audio_events', { tag_audio_events: 1 }],
    ['response_format', { response_format: 'text' }],
    ['temperature', { temperature: 0 }],
  ])('with a %s that the interface does not know is refused: %j', (param, fields) => {
    expect(parseTranscriptionJson({ ...least, ...fields })).toMatchObject({ ok: false, problem: { kind: 'invalid', param } })
    if (param !== 'model')
      expect(parseTranscriptionForm(formOf({ ...least, ...fields }))).toMatchObject({
        ok: false,
        problem: { kind: 'invalid', param },
      })
  })

  it.each(['True', '1', '', ' true'])('as a form takes true and false for flags, not %j', (diarize) => {
    expect(parseTranscriptionForm(formOf({ ...least, diarize }))).toMatchObject({ ok: false, problem: { param: 'diarize' } })
  })

  it.each(['01', '+1', '1.0', '1e1', ' 1'])('as a form takes plain digits for numbers, not %j', (num_speakers) => {
    expect(parseTranscriptionForm(formOf({ ...least, num_speakers }))).toMatchObject({
      ok: false,
      problem: { param: 'num_speakers' },
    })
  })

  it.each(['audio_base64', 'model'])('without %s is incomplete', (param) => {
    const { [param]: _left, ...rest } = least as Record<string, unknown>
    expect(parseTranscriptionJson({ ...rest, diarize: 7 })).toMatchObject({ ok: false, problem: { kind: 'incomplete', param } })
  })

  it('without an object for a body is incomplete', () => {
    for (const body of [null, [], 'x', 7])
      expect(parseTranscriptionJson(body)).toMatchObject({ ok: false, problem: { kind: 'incomplete' } })
  })

  it('has 4 to 34,952,536 characters of Base64', () => {
    expect(parseTranscriptionJson({ ...least, audio_base64: 'AAA' })).toMatchObject({
      ok: false,
      problem: { code: 'invalid_value' },
    })
    expect(parseTranscriptionJson({ ...least, audio_base64: 'A'.repeat(34_952_536) }).ok).toBe(true)
    expect(parseTranscriptionJson({ ...least, audio_base64: 'A'.repeat(34_952_540) })).toMatchObject({
      ok: false,
      problem: { code: 'audio_too_large', param: 'audio_base64' },
    })
  })
})

describe('a language', () => {
  it.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['eng', 'en'],
    ['deu', 'de'],
    ['ger', 'de'],
    ['yue', 'yue'],
    ['fil', 'fil'],
    ['iw', 'he'],
  ])('%s is sent upstream as %s', (given, sent) => {
    expect(languageCodeOf(given)).toBe(sent)
  })

  it.each(['', 'e', 'english', 'en-US', 'en_US', 'xx', 'qqq', 'und', 'mul', 'e1', 'ен'])('%j is none', (given) => {
    expect(languageCodeOf(given)).toBeUndefined()
  })
})

describe('canonical Base64', () => {
  it.each([0, 1, 2, 3, 4, 100, 3_145_727, 3_145_728, 3_145_729, 7_000_001])('of %i bytes is decoded', (length) => {
    const bytes = Buffer.alloc(length, 'any bytes at all \u00ff\u0000', 'latin1')
    expect(Buffer.compare(decodeCanonicalBase64(bytes.toString('base64')) ?? Buffer.alloc(1), bytes)).toBe(0)
  })

  it.each([
    'AAA',
    'AA',
    'AAAAA',
    'AA=A',
    '=AAA',
    'A===',
    '====',
    'AB==', // unused bits that are not zero
    'AAB=',
    'AA-_',
    'AAA\n',
    'AAAA\n\n\n\n',
    ' AAA',
    'AA==AAAA',
    'AAA\u0141', // a character whose last byte is an A
    'data:audio/mpeg;base64,AAAA',
    `${'A'.repeat(4_194_304)}AA=A`,
    `${'A'.repeat(4_194_300)}AAB=AAAA`,
  ])('is nothing else: %#', (text) => {
    expect(decodeCanonicalBase64(text)).toBeUndefined()
  })
})
