import { MAX_IMAGES_BY_URL } from '@turnpike/contracts'
import type { ImageGuard } from './fetch-image.ts'
import { fetchImages, type ImagesResult, type RequestImageLimits } from './fetch-images.ts'
import { isPublicAddress } from './public-address.ts'
import { resolveName } from './resolve-name.ts'

/** As Base64 the images of a request stay within the 20 MiB that a request by itself may have. */
const LIMITS: RequestImageLimits = {
  maxImageBytes: 10 * 1024 * 1024,
  imageTimeoutMs: 15_000,
  concurrentPerRequest: 4,
  maxImagesPerRequest: MAX_IMAGES_BY_URL,
  maxBytesPerRequest: 15 * 1024 * 1024,
  requestTimeoutMs: 20_000,
}

export type ImageFetcher = (urls: readonly string[], signal: AbortSignal) => Promise<ImagesResult>

/** Fetches images that strangers point to. The guard is not an option: no configuration can open it. */
export function openImageFetcher(): ImageFetcher {
  const guard: ImageGuard = { resolve: (hostname, own) => resolveName(hostname, own), isAllowed: isPublicAddress, port: 443 }
  return (urls, signal) => fetchImages({ guard, limits: LIMITS }, urls, signal)
}
