import { type EffectiveTranscriptionRequest, languageCodeOf } from '@turnpike/contracts'
import type { TranscribedWord, Transcript } from '@turnpike/providers'
import type { JobUsage } from '@turnpike/worker'

type Identity = { id: string; createdS: number; durationMs: number }

/**
 * The body exactly as the client will get it, a replay of it included. `verbose_json` adds what the upstream made of the language; words are
 * there when an option asked for something that only they can carry, in both formats.
 */
export function transcriptionResponse(
  { id, createdS, durationMs }: Identity,
  request: EffectiveTranscriptionRequest,
  transcript: Transcript,
): Record<string, unknown> {
  const asksForWords = request.timestamps !== 'none' || request.diarize || request.tag_audio_events
  return {
    id,
    created: createdS,
    model: request.model,
    text: transcript.text,
    ...(request.response_format === 'verbose_json' ? languageOf(transcript) : {}),
    usage: { input_audio_ms: durationMs },
    ...(asksForWords ? { words: transcript.words.map((word) => wordOf(word, request)) } : {}),
  }
}

/** As it stands on the receipt: what was sold, and what the provider counted. */
export function transcriptionUsage(durationMs: number, { audioSeconds }: Transcript): JobUsage {
  const isMeasured = audioSeconds !== undefined && Number.isFinite(audioSeconds) && audioSeconds >= 0
  return { input_audio_ms: durationMs, ...(isMeasured ? { provider_audio_ms: Math.round(audioSeconds * 1_000) } : {}) }
}

const MILLION = 1_000_000

/** In the spelling of our own option; a code that nobody can send back is left out, and so is a probability that is none. */
function languageOf({ languageCode, languageProbability }: Transcript): Record<string, unknown> {
  const language = languageCode === undefined ? undefined : languageCodeOf(languageCode)
  if (language === undefined) return {}
  const isProbability = languageProbability !== undefined && languageProbability >= 0 && languageProbability <= 1
  return { language, ...(isProbability ? { language_probability_millionths: Math.round(languageProbability * MILLION) } : {}) }
}

/** Nothing that was not asked for, whatever the upstream sends along. */
function wordOf(word: TranscribedWord, request: EffectiveTranscriptionRequest): Record<string, unknown> {
  const isTimed = request.timestamps !== 'none'
  return {
    text: word.text,
    type: word.type,
    ...(isTimed ? timesOf(word) : {}),
    ...(request.diarize && word.speaker !== undefined ? { speaker: word.speaker } : {}),
    ...(request.timestamps === 'character' && word.characters !== undefined
      ? { characters: word.characters.map((each) => ({ text: each.text, ...timesOf(each) })) }
      : {}),
  }
}

function timesOf({ startS, endS }: { startS?: number; endS?: number }): Record<string, number> {
  return { ...(startS === undefined ? {} : { start: startS }), ...(endS === undefined ? {} : { end: endS }) }
}
