import { retryTransient } from '../../retry-transient.ts'
import type { TranscriptionUpstream } from '../../transcription/transcription-request.ts'
import { exchange } from '../exchange.ts'
import { openPool, retryDeps, type UpstreamOptions } from '../upstream-options.ts'
import { classifyTranscription } from './classify-transcription.ts'
import { writeTranscriptionForm } from './write-transcription-form.ts'

/** An hour of fast talk with a time for every character is about 8 MiB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** ElevenLabs' speech to text. Not its SDK, which repeats a POST after a 5xx. */
export function openElevenLabsTranscription(options: UpstreamOptions): TranscriptionUpstream {
  const { pool, pathPrefix } = openPool(options)
  const retry = retryDeps(options)
  const maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const path = `${pathPrefix}/v1/speech-to-text`
  return {
    async transcribe(target, request, limits) {
      const { contentType, body } = await writeTranscriptionForm(target, request)
      const headers = { 'xi-api-key': options.apiKey, 'content-type': contentType, accept: 'application/json' }
      return await retryTransient(retry, limits, async () =>
        classifyTranscription(await exchange(pool, { path, headers, body, maxResponseBytes }, limits.signal), retry.now()),
      )
    },
    close: () => pool.close(),
  }
}
