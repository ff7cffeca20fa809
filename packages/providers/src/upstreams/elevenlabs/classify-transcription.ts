import { compile } from '@turnpike/contracts'
import Type, { type Static, type TSchema } from 'typebox'
import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { TranscribedWord, Transcript } from '../../transcription/transcription-request.ts'
import type { Exchange } from '../exchange.ts'
import { ambiguous, cutShort, unanswered } from '../exchange-outcome.ts'
import { classifyElevenLabsError } from './classify-error.ts'

// Absent and null mean the same on this wire.
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const times = { start: maybe(Type.Number()), end: maybe(Type.Number()) }
const Word = Type.Object({
  text: Type.String(),
  type: Type.String(),
  ...times,
  speaker_id: maybe(Type.String()),
  characters: maybe(Type.Array(Type.Object({ text: Type.String(), ...times }))),
})
const Answer = Type.Object({
  text: Type.String(),
  words: maybe(Type.Array(Word)),
  language_code: maybe(Type.String()),
  language_probability: maybe(Type.Number()),
  audio_duration_secs: maybe(Type.Number()),
})
const validate = compile(Answer)

/** What an exchange came to, and so whether it may be repeated and what the client may be told. Silence is an answer too. */
export function classifyTranscription(exchange: Exchange, now: number): ProviderOutcome<Transcript> {
  if (exchange.kind !== 'response') return unanswered(exchange)
  if (exchange.status !== 200) return classifyElevenLabsError(exchange, now)
  if (exchange.end !== 'whole') return cutShort(exchange.end)
  const answer = parse(exchange.body)
  // Not this API's answer, or one of several channels, which nobody asked for.
  if (answer === undefined) return ambiguous('invalid_body')
  return { kind: 'succeeded', value: transcriptOf(answer) }
}

function parse(body: Buffer): Static<typeof Answer> | undefined {
  try {
    const checked = validate(JSON.parse(body.toString('utf8')))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

function transcriptOf(answer: Static<typeof Answer>): Transcript {
  return {
    text: answer.text,
    words: (answer.words ?? []).flatMap(wordOf),
    ...given('languageCode', answer.language_code),
    ...given('languageProbability', answer.language_probability),
    ...given('audioSeconds', answer.audio_duration_secs),
  }
}

const TYPES = ['word', 'spacing', 'audio_event'] as const

/** A type that came later than this code is left out: what is not known cannot be promised. */
function wordOf(word: Static<typeof Word>): TranscribedWord[] {
  const type = TYPES.find((known) => known === word.type)
  if (type === undefined) return []
  const characters = word.characters?.map(({ text, start, end }) => ({ text, ...timesOf({ start, end }) }))
  return [{ text: word.text, type, ...timesOf(word), ...given('speaker', word.speaker_id), ...given('characters', characters) }]
}

function timesOf({ start, end }: { start?: number | null | undefined; end?: number | null | undefined }) {
  return { ...given('startS', start), ...given('endS', end) }
}

function given<Name extends string, T>(name: Name, value: T | null | undefined): { [Key in Name]?: T } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [Key in Name]: T })
}
