import { VOICE_ALIASES } from '@turnpike/contracts'
import type { Wiring } from './wiring.ts'
import { yoursOr } from './yours-or.ts'

const image = { model: 'gm-3.1-flash-lite-image', target: 'gemini-3.1-flash-lite-image' }
const speech = { model: 'el/flash-v2.5', target: 'eleven_flash_v2_5' }
const voiceIdLength = 20

/** Voice ids belong to an account: with a key of yours there is no speech without VOICES of yours. */
function voices({ settings }: Wiring): string | undefined {
  if (process.env.VOICES) return process.env.VOICES
  if (settings.yours.elevenlabs !== undefined) return undefined
  return JSON.stringify(Object.fromEntries(VOICE_ALIASES.map((alias) => [alias, `Sandbox${alias}`.padEnd(voiceIdLength, '0')])))
}

export function mediaModels(wiring: Wiring): string[] {
  return voices(wiring) === undefined ? [image.model] : [image.model, speech.model]
}

export function mediaRoutes(wiring: Wiring): Record<string, string> {
  const voicesOrNone = voices(wiring)
  return {
    IMAGE_ROUTES: yoursOr('IMAGE_ROUTES', JSON.stringify({ [image.model]: [image.target] })),
    ...(voicesOrNone === undefined
      ? {}
      : { SPEECH_ROUTES: yoursOr('SPEECH_ROUTES', JSON.stringify({ [speech.model]: [speech.target] })), VOICES: voicesOrNone }),
  }
}
