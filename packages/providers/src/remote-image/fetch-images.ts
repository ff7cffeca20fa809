import type { FetchedImages } from '../text/fetched-images.ts'
import type { ImagePart } from '../text/text-request.ts'
import { fetchImage, type ImageFailure, type ImageGuard, type ImageLimits } from './fetch-image.ts'

export type RequestImageLimits = ImageLimits & {
  /** Images of one request that are on their way at the same time. */
  concurrentPerRequest: number
  maxImagesPerRequest: number
  maxBytesPerRequest: number
  /** For all images of one request: what is left of its time belongs to the model. */
  requestTimeoutMs: number
}

export type ImagesResult =
  | { ok: true; images: FetchedImages }
  | { ok: false; why: ImageFailure | 'too_many' | 'too_large_together' }

/** All images of one request, or none: the first that cannot be had ends the others. Never rejects. */
export async function fetchImages(
  deps: { guard: ImageGuard; limits: RequestImageLimits },
  urls: readonly string[],
  signal: AbortSignal,
): Promise<ImagesResult> {
  const { limits } = deps
  if (urls.length > limits.maxImagesPerRequest) return { ok: false, why: 'too_many' }
  if (urls.length === 0) return { ok: true, images: new Map() }
  const stop = new AbortController()
  const inTime = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(limits.requestTimeoutMs)])
  const images = new Map<string, ImagePart>()
  const waiting = [...urls]
  let failure: Extract<ImagesResult, { ok: false }> | undefined
  let bytesLeft = limits.maxBytesPerRequest
  const takeTurns = async (): Promise<void> => {
    for (let url = waiting.shift(); url !== undefined && failure === undefined; url = waiting.shift()) {
      const fetched = await fetchImage(deps, url, inTime)
      if (failure !== undefined) return
      if (fetched.ok) bytesLeft -= fetched.bytes
      if (fetched.ok && bytesLeft >= 0) images.set(url, fetched.image)
      else {
        failure = { ok: false, why: fetched.ok ? 'too_large_together' : fetched.why }
        stop.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limits.concurrentPerRequest, urls.length) }, takeTurns))
  return failure ?? { ok: true, images }
}
