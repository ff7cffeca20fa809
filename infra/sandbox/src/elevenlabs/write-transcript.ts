import type { TranscriptionOptions } from './parse-transcription.ts'

export interface Word {
  text: string
  type: 'word' | 'spacing' | 'audio_event'
  logprob: number
  start?: number
  end?: number
  speaker_id?: string
  characters?: { text: string; start: number; end: number }[]
}

export interface Transcript {
  text: string
  words: Word[]
}

/** Without `num_speakers`, a conversation of two. */
const defaultSpeakers = 2

/** Says how long it listened; times spread over the audio by character. Nothing heard, nothing said. */
export function writeTranscript(options: TranscriptionOptions, milliseconds: number): Transcript {
  if (milliseconds === 0) return { text: '', words: [] }
  const sentence = `I heard ${milliseconds} milliseconds of audio.`
  const pieces: Pick<Word, 'text' | 'type'>[] = sentence
    .split(/( )/)
    .map((text) => ({ text, type: text === ' ' ? ('spacing' as const) : ('word' as const) }))
  if (options.tagAudioEvents) pieces.push({ text: ' ', type: 'spacing' }, { text: '(tone)', type: 'audio_event' })
  const text = pieces.map((piece) => piece.text).join('')
  const secondsAt = (characters: number) => Math.round((milliseconds * characters) / text.length) / 1_000
  let position = 0
  const words = pieces.map((piece, index) => {
    const word: Word = { ...piece, logprob: -0.01 }
    const from = position
    position += piece.text.length
    if (options.granularity !== 'none') {
      word.start = secondsAt(from)
      word.end = secondsAt(position)
    }
    if (options.granularity === 'character' && piece.type !== 'audio_event')
      word.characters = [...piece.text].map((character, offset) => ({
        text: character,
        start: secondsAt(from + offset),
        end: secondsAt(from + offset + 1),
      }))
    if (options.diarize)
      word.speaker_id = `speaker_${Math.floor((index * (options.speakers ?? defaultSpeakers)) / pieces.length)}`
    return word
  })
  return { text, words }
}
