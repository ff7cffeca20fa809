import type { GeneratedImage } from '@turnpike/providers'
import sharp from 'sharp'
import type { Verdict } from './call-and-verify.ts'

/** Every pixel of it can be decoded, and there are as many as were sold. The type is what the bytes are, whatever they were called. */
export type VerifiedImage = GeneratedImage & { contentType: 'image/png' | 'image/jpeg' }

/** The 1K tier, square. */
const WIDTH_PX = 1_024
const HEIGHT_PX = 1_024

const BEGINNINGS = [
  { contentType: 'image/png', bytes: Buffer.from('89504e470d0a1a0a', 'hex') },
  { contentType: 'image/jpeg', bytes: Buffer.from('ffd8ff', 'hex') },
] as const

export async function verifyImage(image: GeneratedImage): Promise<Verdict<VerifiedImage>> {
  // Before the decoder sees it: of the many formats that it knows, two were sold.
  const type = BEGINNINGS.find(({ bytes }) => image.bytes.subarray(0, bytes.length).equals(bytes))
  if (type === undefined) return { ok: false, why: 'other_format' }
  // The limit is read from the header, so a small file that unfolds into gigabytes is never unfolded.
  const decoder = sharp(image.bytes, { limitInputPixels: WIDTH_PX * HEIGHT_PX, failOn: 'warning', sequentialRead: true })
  try {
    const { info } = await decoder.raw().toBuffer({ resolveWithObject: true })
    if (info.width !== WIDTH_PX || info.height !== HEIGHT_PX) return { ok: false, why: 'other_size' }
  } catch {
    return { ok: false, why: 'not_decodable' }
  }
  return { ok: true, value: { ...image, contentType: type.contentType } }
}
