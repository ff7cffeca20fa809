import type { ImageUpstream } from '../../image/image-request.ts'
import { retryTransient } from '../../retry-transient.ts'
import { retryDeps, type UpstreamOptions } from '../upstream-options.ts'
import { classifyExchange } from './classify.ts'
import { openGenerateContent } from './post-generate-content.ts'
import { readImage } from './read-image.ts'
import { writeImageRequest } from './write-image-request.ts'

/** Images from Gemini's generateContent. */
export function openGeminiImages(options: UpstreamOptions): ImageUpstream {
  const wire = openGenerateContent(options)
  const retry = retryDeps(options)
  return {
    async draw(target, request, limits) {
      const body = Buffer.from(JSON.stringify(writeImageRequest(request)))
      return await retryTransient(retry, limits, async () =>
        classifyExchange(await wire.post(target, body, limits), retry.now(), readImage),
      )
    },
    close: () => wire.close(),
  }
}
