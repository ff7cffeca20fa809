import type { TextUpstream } from '../../call-first-available.ts'
import { retryTransient } from '../../retry-transient.ts'
import { retryDeps, type UpstreamOptions } from '../upstream-options.ts'
import { classify } from './classify.ts'
import { openGenerateContent } from './post-generate-content.ts'
import { writeRequest } from './write-request.ts'

export type GeminiOptions = UpstreamOptions

/** Text from Gemini's generateContent. */
export function openGemini(options: GeminiOptions): TextUpstream {
  const wire = openGenerateContent(options)
  const retry = retryDeps(options)
  return {
    async complete(target, request, limits) {
      if (request.turns.length === 0) {
        return { kind: 'refused', code: 'provider_rejected_request', reason: 'nothing_to_send' }
      }
      const body = Buffer.from(JSON.stringify(writeRequest(target, request)))
      return await retryTransient(retry, limits, async () => classify(await wire.post(target, body, limits), retry.now()))
    },
    close: () => wire.close(),
  }
}
