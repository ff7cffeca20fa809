import type { EffectiveTranscriptionRequest } from '@turnpike/contracts'
import type { Transcript } from '@turnpike/providers'
import { describe, expect, it } from 'vitest'
import { transcriptionResponse, transcriptionUsage } from './transcription-response.ts'

const plain: EffectiveTranscriptionRequest = {
  model: 'el/scribe-v2',
  file_format: 'other',
  diarize: false,
  timestamps: 'none',
  tag_audio_events: false,
  response_format: 'json',
  audio_sha256: '0'.repeat(64),
}
const transcript: Transcript = {
  text: 'Ja! (bell)',
  languageCode: 'deu',
  languageProbability: 0.98234567,
  audioSeconds: 2.0404,
  words: [
    {
      text: 'Ja!',
      type: 'word',
      startS: 0.1,
      endS: 0.4,
      speaker: 'speaker_0',
      characters: [{ text: 'J', startS: 0.1, endS: 0.2 }],
    },
    { text: ' ', type: 'spacing', startS: 0.4, endS: 0.5, speaker: 'speaker_0' },
    { text: '(bell)', type: 'audio_event', startS: 0.5, endS: 2, speaker: 'speaker_0' },
  ],
}
const respond = (asked: Partial<EffectiveTranscriptionRequest> = {}, heard: Partial<Transcript> = {}) =>
  transcriptionResponse(
    { id: 'transcription_1', createdS: 1_795_250_000, durationMs: 2_038 },
    { ...plain, ...asked },
    {
      ...transcript,
      ...heard,
    },
  )

describe('the response', () => {
  it('as json is the text and what was measured', () => {
    expect(respond()).toEqual({
      id: 'transcription_1',
      created: 1_795_250_000,
      model: 'el/scribe-v2',
      text: 'Ja! (bell)',
      usage: { input_audio_ms: 2_038 },
    })
  })

  it('as verbose_json says the language too, in the spelling of the option, and how sure that is', () => {
    expect(respond({ response_format: 'verbose_json' })).toMatchObject({
      language: 'de',
      language_probability_millionths: 982_346,
    })
    expect(respond({ response_format: 'verbose_json' })).not.toHaveProperty('words')
  })

  it.each<[string, Partial<Transcript>, object]>([
    ['of no code that we know', { languageCode: 'qqq' }, {}],
    ['of no code', { languageCode: undefined as never }, {}],
    ['with an impossible probability', { languageProbability: 1.2 }, { language: 'de' }],
    ['with no number', { languageProbability: Number.NaN }, { language: 'de' }],
    ['for sure', { languageProbability: 1 }, { language: 'de', language_probability_millionths: 1_000_000 }],
  ])('leaves out a language %s', (_what, heard, expected) => {
    const { language, language_probability_millionths: millionths } = respond({ response_format: 'verbose_json' }, heard)
    expect({
      ...(language === undefined ? {} : { language }),
      ...(millionths === undefined ? {} : { language_probability_millionths: millionths }),
    }).toEqual(expected)
  })

  it.each<[string, Partial<EffectiveTranscriptionRequest>, object]>([
    ['times of words', { timestamps: 'word' }, { text: 'Ja!', type: 'word', start: 0.1, end: 0.4 }],
    [
      'times of characters',
      { timestamps: 'character' },
      { text: 'Ja!', type: 'word', start: 0.1, end: 0.4, characters: [{ text: 'J', start: 0.1, end: 0.2 }] },
    ],
    ['speakers', { diarize: true }, { text: 'Ja!', type: 'word', speaker: 'speaker_0' }],
    ['events', { tag_audio_events: true }, { text: 'Ja!', type: 'word' }],
  ])('has words with %s where that was asked for, and no more than that', (_what, asked, first) => {
    for (const format of ['json', 'verbose_json'] as const) {
      const words = respond({ ...asked, response_format: format }).words as object[]
      expect(words).toHaveLength(3)
      expect(words[0]).toEqual(first)
    }
  })

  it('of silence is empty', () => {
    expect(respond({ timestamps: 'word' }, { text: '', words: [] })).toMatchObject({ text: '', words: [] })
  })
})

it('the receipt says what was sold and what the provider measured, where it did', () => {
  expect(transcriptionUsage(2_038, transcript)).toEqual({ input_audio_ms: 2_038, provider_audio_ms: 2_040 })
  expect(transcriptionUsage(2_038, { text: '', words: [] })).toEqual({ input_audio_ms: 2_038 })
  expect(transcriptionUsage(2_038, { ...transcript, audioSeconds: -1 })).toEqual({ input_audio_ms: 2_038 })
})
