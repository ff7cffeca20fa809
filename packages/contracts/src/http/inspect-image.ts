// Own header reading: the libraries for it copy the rest of the file at every JPEG segment, which is quadratic on a hostile one, and read a dozen
// formats that are refused here. Nothing is decoded, so a decompression bomb costs as much as its header.

export type ImageMimeType = 'image/png' | 'image/jpeg' | 'image/webp'
export type InspectedImage =
  | { ok: true; mimeType: ImageMimeType; widthPx: number; heightPx: number }
  | { ok: false; why: 'not_an_image' | 'unsupported_type' | 'too_many_pixels' }

export const MAX_IMAGE_SIDE_PX = 16_384
export const MAX_IMAGE_PIXELS = 64_000_000

type Size = { widthPx: number; heightPx: number }

/** Type and size by the bytes themselves. Linear; reads headers only. */
export function inspectImage(bytes: Uint8Array): InspectedImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(bytes, PNG)) return judge('image/png', pngSize(bytes, view))
  if (startsWith(bytes, JPEG)) return judge('image/jpeg', jpegSize(view))
  if (startsWith(bytes, RIFF) && ascii(bytes, 8, 'WEBP')) {
    // One price is for one picture.
    if (isAnimated(bytes)) return { ok: false, why: 'unsupported_type' }
    return judge('image/webp', webpSize(bytes, view))
  }
  return {
    ok: false,
    why: OTHER_IMAGES.some((magic) => startsWith(bytes, magic)) || isIsoImage(bytes) ? 'unsupported_type' : 'not_an_image',
  }
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const JPEG = [0xff, 0xd8, 0xff]
const RIFF = [0x52, 0x49, 0x46, 0x46]
const GIF = [0x47, 0x49, 0x46, 0x38]
const BMP = [0x42, 0x4d]
const TIFF_LE = [0x49, 0x49, 0x2a, 0x00]
const TIFF_BE = [0x4d, 0x4d, 0x00, 0x2a]
const OTHER_IMAGES = [GIF, BMP, TIFF_LE, TIFF_BE]

function judge(mimeType: ImageMimeType, size: Size | undefined): InspectedImage {
  if (size === undefined || size.widthPx === 0 || size.heightPx === 0) return { ok: false, why: 'not_an_image' }
  const { widthPx, heightPx } = size
  const tooLarge = widthPx > MAX_IMAGE_SIDE_PX || heightPx > MAX_IMAGE_SIDE_PX || widthPx * heightPx > MAX_IMAGE_PIXELS
  return tooLarge ? { ok: false, why: 'too_many_pixels' } : { ok: true, mimeType, widthPx, heightPx }
}

/** IHDR comes first, always. */
function pngSize(bytes: Uint8Array, view: DataView): Size | undefined {
  if (view.byteLength < 24 || !ascii(bytes, 12, 'IHDR')) return undefined
  return { widthPx: view.getUint32(16), heightPx: view.getUint32(20) }
}

/** Walks the segments to the first frame header; pixels in the embedded thumbnail of an APP segment are skipped with it. */
function jpegSize(view: DataView): Size | undefined {
  let at = 2
  while (at + 4 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++ // fill byte
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame)
      return at + 9 <= view.byteLength ? { heightPx: view.getUint16(at + 5), widthPx: view.getUint16(at + 7) } : undefined
    // Without a length (TEM, RSTn, SOI, EOI), or the scan itself: a frame should have come before.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return undefined
    const length = view.getUint16(at + 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

function webpSize(bytes: Uint8Array, view: DataView): Size | undefined {
  if (view.byteLength < 30) return undefined
  if (ascii(bytes, 12, 'VP8X')) return { widthPx: uint24(view, 24) + 1, heightPx: uint24(view, 27) + 1 }
  if (ascii(bytes, 12, 'VP8L') && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const isKeyFrame = ascii(bytes, 12, 'VP8 ') && startsWith(bytes.subarray(23), [0x9d, 0x01, 0x2a])
  return isKeyFrame ? { widthPx: view.getUint16(26, true) & 0x3fff, heightPx: view.getUint16(28, true) & 0x3fff } : undefined
}

function isAnimated(webp: Uint8Array): boolean {
  return ascii(webp, 12, 'VP8X') && ((webp[20] ?? 0) & 0x02) !== 0
}

/** AVIF, HEIC and their kin. */
function isIsoImage(bytes: Uint8Array): boolean {
  return (
    ascii(bytes, 4, 'ftyp') && ['avif', 'avis', 'heic', 'heix', 'heif', 'mif1', 'msf1'].some((brand) => ascii(bytes, 8, brand))
  )
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte)
}

function ascii(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}
