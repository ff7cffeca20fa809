import type { CallLimits, ProviderOutcome } from '../provider-outcome.ts'

/** What to hear in one MP3, and how finely. `language` is a code of ISO 639; without it the upstream finds out. */
export type TranscriptionRequest = {
  mp3: Uint8Array<ArrayBuffer>
  language?: string
  diarize: boolean
  numSpeakers?: number
  timestamps: 'none' | 'word' | 'character'
  tagAudioEvents: boolean
}

/** Seconds are the upstream's. A `spacing` is what stands between two words. */
export type TranscribedWord = {
  text: string
  type: 'word' | 'spacing' | 'audio_event'
  startS?: number
  endS?: number
  speaker?: string
  characters?: { text: string; startS?: number; endS?: number }[]
}

/** `text` may be empty: there was nothing to hear. Probabilities are from 0 to 1. */
export type Transcript = {
  text: string
  words: TranscribedWord[]
  languageCode?: string
  languageProbability?: number
  /** As the upstream measured it, where it told. */
  audioSeconds?: number
}

export type TranscriptionUpstream = {
  /** One MP3 at one target (the upstream's own model name). Never throws for what a provider or a network can do. */
  transcribe(target: string, request: TranscriptionRequest, limits: CallLimits): Promise<ProviderOutcome<Transcript>>
  close(): Promise<void>
}
