import type { ImagePart } from './text-request.ts'

/** By URL, the images that a client did not send but pointed to. */
export type FetchedImages = ReadonlyMap<string, ImagePart>

/** Throws on a URL that nobody fetched: a bug of the caller. */
export function fetchedImage(images: FetchedImages, url: string): ImagePart {
  const image = images.get(url)
  if (image === undefined) throw new TypeError('an image was not fetched')
  return image
}
