import type { Category, Model, PaidEndpoint } from '@turnpike/contracts'
import {
  DEFAULT_VOICE,
  IMAGE_MODELS,
  MAX_SPEECH_CHARACTERS,
  SPEECH_MODELS,
  TEXT_MODELS,
  TRANSCRIPTION_MODELS,
} from '@turnpike/contracts'

// All that is sold, and its limits. What it costs stands in price-book.ts.

export const OUTPUT_RESERVE_BASIS_POINTS = 10_000
export const CONTEXT_TOKENS = 1_048_576
export const MAX_OUTPUT_TOKENS = 65_536

export const IMAGE = {
  size: '1K',
  aspectRatio: '1:1',
  responseFormats: ['url', 'b64_json'],
  retentionHours: 168,
} as const
export const SPEECH = {
  maximumCharacters: MAX_SPEECH_CHARACTERS,
  responseFormats: ['mp3'],
  defaultVoice: DEFAULT_VOICE,
  retentionHours: 24,
} as const
export const TRANSCRIPTION = {
  maximumDurationMs: 3_510_000,
  maximumBytes: 26_214_400,
  acceptedFormats: ['mp3'],
  responseFormats: ['json', 'verbose_json'],
} as const

export type CategoryData = {
  id: Category
  label: string
  description: string
  models: readonly Model[]
  endpoints: readonly { path: PaidEndpoint; compatibility: string }[]
  inputModalities: readonly string[]
  outputModalities: readonly string[]
}

export const CATEGORY_DATA: readonly CategoryData[] = [
  {
    id: 'text_generation',
    label: 'Text generation',
    description: 'Chat and messages in the shapes of OpenAI and Anthropic, answered in one piece.',
    models: TEXT_MODELS,
    endpoints: [
      { path: '/v1/chat/completions', compatibility: 'openai-chat-completions' },
      { path: '/v1/messages', compatibility: 'anthropic-messages' },
    ],
    inputModalities: ['text'],
    outputModalities: ['text'],
  },
  {
    id: 'image_generation',
    label: 'Image generation',
    description: 'One square image from a prompt, hosted for seven days.',
    models: IMAGE_MODELS,
    endpoints: [{ path: '/v1/images/generations', compatibility: 'openai-images' }],
    inputModalities: ['text'],
    outputModalities: ['image'],
  },
  {
    id: 'text_to_speech',
    label: 'Text to speech',
    description: 'Speech from text as an MP3, hosted for 24 hours.',
    models: SPEECH_MODELS,
    endpoints: [{ path: '/v1/audio/speech', compatibility: 'openai-audio-speech' }],
    inputModalities: ['text'],
    outputModalities: ['audio'],
  },
  {
    id: 'speech_to_text',
    label: 'Speech to text',
    description: 'The transcript of one MP3, priced by its measured duration.',
    models: TRANSCRIPTION_MODELS,
    endpoints: [{ path: '/v1/audio/transcriptions', compatibility: 'openai-audio-transcriptions' }],
    inputModalities: ['audio'],
    outputModalities: ['text'],
  },
]
