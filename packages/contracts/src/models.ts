// The public names of what is sold: aliases, categories, endpoints. Upstream names live in operator configuration only.

export const TEXT_MODELS = [
  'gm-3.6-flash',
  'gm-3.5-flash-lite',
  'gm-3.5-flash',
  'gm-3.1-flash-lite',
  'gm-2.5-flash',
  'gm-2.5-pro',
  'gm-2.5-flash-lite',
] as const
export const IMAGE_MODELS = ['gm-3.1-flash-lite-image'] as const
export const SPEECH_MODELS = ['el/flash-v2.5'] as const
export const TRANSCRIPTION_MODELS = ['el/scribe-v2'] as const
export const MODELS = [...TEXT_MODELS, ...IMAGE_MODELS, ...SPEECH_MODELS, ...TRANSCRIPTION_MODELS] as const

export type TextModel = (typeof TEXT_MODELS)[number]
export type Model = (typeof MODELS)[number]

export const CATEGORIES = ['text_generation', 'image_generation', 'text_to_speech', 'speech_to_text'] as const
export type Category = (typeof CATEGORIES)[number]

export const PAID_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/images/generations',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
] as const
export type PaidEndpoint = (typeof PAID_ENDPOINTS)[number]

export function isTextModel(model: string): model is TextModel {
  return (TEXT_MODELS as readonly string[]).includes(model)
}

export function isImageModel(model: string): boolean {
  return (IMAGE_MODELS as readonly string[]).includes(model)
}

export function isSpeechModel(model: string): boolean {
  return (SPEECH_MODELS as readonly string[]).includes(model)
}

export function isTranscriptionModel(model: string): boolean {
  return (TRANSCRIPTION_MODELS as readonly string[]).includes(model)
}
