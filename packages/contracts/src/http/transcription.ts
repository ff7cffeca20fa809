import Type, { type Static, type TProperties } from 'typebox'
import { compile } from '../validator.ts'
import { incomplete, invalid, type Parsed, problemFromSchema } from './request-problem.ts'
import { languageCodeOf } from './transcription-language.ts'
import { MAX_AUDIO_BASE64_CHARACTERS } from './transcription-limits.ts'

const NUM_SPEAKERS = { minimum: 1, maximum: 32 }
const options = {
  model: Type.String(),
  file_format: Type.Optional(Type.Enum(['other'], { default: 'other' })),
  language: Type.Optional(Type.String({ description: 'A code of ISO 639-1 or 639-3.' })),
  diarize: Type.Optional(Type.Boolean({ default: false })),
  num_speakers: Type.Optional(Type.Integer(NUM_SPEAKERS)),
  timestamps: Type.Optional(Type.Enum(['none', 'word', 'character'], { default: 'none' })),
  tag_audio_events: Type.Optional(Type.Boolean({ default: false })),
  response_format: Type.Optional(Type.Enum(['json', 'verbose_json'], { default: 'json' })),
}
const closed = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, { additionalProperties: false })

/** POST /v1/audio/transcriptions as JSON. */
export const TranscriptionRequest = closed({
  audio_base64: Type.String({
    minLength: 4,
    maxLength: MAX_AUDIO_BASE64_CHARACTERS,
    contentEncoding: 'base64',
    description: 'One MP3 in canonical RFC 4648 Base64: padded, no data URL, no whitespace.',
  }),
  ...options,
})

/** POST /v1/audio/transcriptions as multipart/form-data. */
export const TranscriptionForm = closed({
  file: Type.String({ contentMediaType: 'audio/mpeg', description: 'One complete MP3.' }),
  ...options,
})

/** The fields of a form that are text; each may be there once. */
export const TRANSCRIPTION_FORM_FIELDS: readonly string[] = Object.keys(options)

/** Defaults filled in, the language in one spelling. The audio is named by what it holds, so that both encodings are one request. */
export type EffectiveTranscriptionRequest = TranscriptionOptions & { audio_sha256: string }

export type TranscriptionOptions = {
  model: string
  file_format: 'other'
  language?: string
  diarize: boolean
  num_speakers?: number
  timestamps: 'none' | 'word' | 'character'
  tag_audio_events: boolean
  response_format: 'json' | 'verbose_json'
}

// The length is checked by hand: a validator counts code points, one by one, and here there are 35 million.
const validateJson = compile(closed({ audio_base64: Type.String(), ...options }))
const validateOptions = compile(closed(options))

/** Reads a parsed JSON body. Whether the text is Base64, and of an MP3, is for the caller to find out. Pure. */
export function parseTranscriptionJson(body: unknown): Parsed<{ options: TranscriptionOptions; audioBase64: string }> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validateJson(body)
  if (!checked.ok) return problemFromSchema(checked.problems)
  const { audio_base64: audioBase64, ...given } = checked.value
  if (audioBase64.length < 4) return invalid('audio_base64', 'audio_base64 must have at least 4 characters.')
  if (audioBase64.length > MAX_AUDIO_BASE64_CHARACTERS) {
    const message = `audio_base64 must have at most ${MAX_AUDIO_BASE64_CHARACTERS} characters.`
    return invalid('audio_base64', message, 'audio_too_large')
  }
  const parsed = withDefaults(given)
  return parsed.ok ? { ok: true, value: { options: parsed.value, audioBase64 } } : parsed
}

/** Reads the text fields of a form: flags are `true` or `false`, numbers are written in digits. Pure. */
export function parseTranscriptionForm(fields: ReadonlyMap<string, string>): Parsed<TranscriptionOptions> {
  const typed = Object.fromEntries([...fields].map(([name, text]) => [name, typedValue(name, text)]))
  const checked = validateOptions(typed)
  return checked.ok ? withDefaults(checked.value) : problemFromSchema(checked.problems)
}

/** What cannot be read as its type stays text, which the schema then refuses. */
function typedValue(name: string, text: string): unknown {
  if (name === 'diarize' || name === 'tag_audio_events') return text === 'true' ? true : text === 'false' ? false : text
  if (name === 'num_speakers') return /^[1-9][0-9]?$/.test(text) ? Number(text) : text
  return text
}

type Given = Static<ReturnType<typeof closed<typeof options>>>

function withDefaults(given: Given): Parsed<TranscriptionOptions> {
  const language = given.language === undefined ? undefined : languageCodeOf(given.language)
  if (given.language !== undefined && language === undefined) {
    return invalid('language', 'language must be a code of ISO 639-1 or 639-3, like "en" or "eng".', 'unsupported_value')
  }
  return {
    ok: true,
    value: {
      model: given.model,
      file_format: 'other',
      ...(language === undefined ? {} : { language }),
      diarize: given.diarize ?? false,
      ...(given.num_speakers === undefined ? {} : { num_speakers: given.num_speakers }),
      timestamps: given.timestamps ?? 'none',
      tag_audio_events: given.tag_audio_events ?? false,
      response_format: given.response_format ?? 'json',
    },
  }
}
