import type { InlineData } from './request.ts'

export interface ImageSize {
  width: number
  height: number
}

/** Pixel sizes of a 1K image by aspect ratio. */
export const aspectRatios: ReadonlyMap<string, ImageSize> = new Map([
  ['1:1', { width: 1024, height: 1024 }],
  ['2:3', { width: 848, height: 1264 }],
  ['3:2', { width: 1264, height: 848 }],
  ['3:4', { width: 896, height: 1200 }],
  ['4:3', { width: 1200, height: 896 }],
  ['4:5', { width: 928, height: 1152 }],
  ['5:4', { width: 1152, height: 928 }],
  ['9:16', { width: 768, height: 1376 }],
  ['16:9', { width: 1376, height: 768 }],
  ['21:9', { width: 1584, height: 672 }],
])

/** The image types that the vendor takes; GIF is not among them. */
export const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'])

/** The size of an inline image, or undefined when its bytes are not an image of the declared type. */
export function imageSizeOf(blob: InlineData): ImageSize | undefined {
  // A header is enough; decoding all of a 20 MB image for four numbers would cost more than the whole answer.
  const bytes = Buffer.from((blob.data ?? '').slice(0, 512 * 1024), 'base64')
  switch (blob.mimeType) {
    case 'image/png':
      return pngSize(bytes)
    case 'image/jpeg':
      return jpegSize(bytes)
    case 'image/webp':
      return webpSize(bytes)
    default:
      // HEIC and HEIF: the brand is checked, the size stays that of one tile.
      return bytes.subarray(4, 8).toString('latin1') === 'ftyp' ? { width: 768, height: 768 } : undefined
  }
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47 || bytes.readUInt32BE(4) !== 0x0d0a1a0a) return undefined
  return positive(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let offset = 2
  while (offset + 9 <= bytes.length) {
    if (bytes[offset] !== 0xff) return undefined
    const marker = bytes[offset + 1] ?? 0
    // Start-of-frame markers, without the four in their range that are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return positive(bytes.readUInt16BE(offset + 7), bytes.readUInt16BE(offset + 5))
    offset += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(offset + 2)
  }
  return undefined
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  // The smallest lossless image is shorter than the headers of the other two kinds.
  if (bytes.length < 25 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined
  const kind = bytes.toString('latin1', 12, 16)
  if (bytes.length < 30 && kind !== 'VP8L') return undefined
  switch (kind) {
    case 'VP8 ':
      return positive(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return positive((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return positive(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  }
  return undefined
}

function positive(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined
}
