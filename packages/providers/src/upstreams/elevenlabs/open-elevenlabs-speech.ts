import { retryTransient } from '../../retry-transient.ts'
import type { SpeechUpstream } from '../../speech/speech-request.ts'
import { exchange } from '../exchange.ts'
import { failed } from '../exchange-outcome.ts'
import { openPool, retryDeps, type UpstreamOptions } from '../upstream-options.ts'
import { classifySpeech } from './classify-speech.ts'

export type ElevenLabsSpeechOptions = UpstreamOptions & {
  /** The upstream's voice ids by public alias. */
  voices: ReadonlyMap<string, string>
}

/** 128 kbps: half an hour, many times what 2000 characters can take. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024
const OUTPUT_FORMAT = 'mp3_44100_128'

/** ElevenLabs' text to speech. Not its SDK, which repeats a POST after a 5xx. */
export function openElevenLabsSpeech(options: ElevenLabsSpeechOptions): SpeechUpstream {
  const { pool, pathPrefix } = openPool(options)
  const retry = retryDeps(options)
  const maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const headers = { 'xi-api-key': options.apiKey, 'content-type': 'application/json', accept: 'audio/mpeg' }
  return {
    async speak(target, { text, voice, speed }, limits) {
      const voiceId = options.voices.get(voice)
      if (voiceId === undefined) return failed('provider_unavailable', 'voice_missing')
      const path = `${pathPrefix}/v1/text-to-speech/${encodeURIComponent(voiceId)}?output_format=${OUTPUT_FORMAT}`
      // The speed always: a voice may have another one stored as its own.
      const body = Buffer.from(JSON.stringify({ text, model_id: target, voice_settings: { speed } }))
      return await retryTransient(retry, limits, async () =>
        classifySpeech(await exchange(pool, { path, headers, body, maxResponseBytes }, limits.signal), retry.now()),
      )
    },
    close: () => pool.close(),
  }
}
