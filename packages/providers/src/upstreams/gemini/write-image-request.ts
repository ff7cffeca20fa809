import type { ImageRequest } from '../../image/image-request.ts'
import type { WireContent } from './wire.ts'

export type GenerateImageRequest = {
  contents: WireContent[]
  generationConfig: { responseModalities: ('TEXT' | 'IMAGE')[]; imageConfig: { aspectRatio: string; imageSize: string } }
}

/** With TEXT beside IMAGE: a model that will not draw then says so in words, which is a refusal and not a riddle. */
export function writeImageRequest({ prompt, aspectRatio, imageSize }: ImageRequest): GenerateImageRequest {
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio, imageSize } },
  }
}
