import { PNG } from 'pngjs'
import type { ImageSize } from './size-image.ts'

/** About 1.3 MB each in base64; the oldest goes first. */
const maxCachedImages = 16
const cached = new Map<string, Promise<Buffer>>()

/** A PNG as base64 bytes, the same for the same prompt; `promptHash` is hex. Drawn once, then shared by every answer. */
export function drawImage(promptHash: string, size: ImageSize): Promise<Buffer> {
  const key = `${promptHash} ${size.width}x${size.height}`
  const known = cached.get(key)
  if (known) return known
  const drawn = encode(paint(promptHash, size))
  cached.set(key, drawn)
  const [oldest] = cached.keys()
  if (cached.size > maxCachedImages && oldest !== undefined) cached.delete(oldest)
  return drawn
}

/** Two crossing gradients and rings in colours of the prompt, with a little noise so that the file has a photograph's size. */
function paint(promptHash: string, size: ImageSize): PNG {
  const png = new PNG({
    width: size.width,
    height: size.height,
    colorType: 2,
    inputColorType: 2,
    inputHasAlpha: false,
    filterType: 1,
    deflateLevel: 1,
  })
  const seed = Buffer.from(promptHash, 'hex')
  const at = (index: number) => seed[index % seed.length] ?? 0
  const pixels = Buffer.alloc(size.width * size.height * 3)
  const centreX = (at(3) / 255) * size.width
  const centreY = (at(4) / 255) * size.height
  const ring = 24 + (at(5) % 64)
  let noise = seed.readUInt32LE(8) | 1
  let offset = 0
  for (let y = 0; y < size.height; y += 1) {
    const down = y / size.height
    for (let x = 0; x < size.width; x += 1) {
      const across = x / size.width
      const distance = Math.hypot(x - centreX, y - centreY)
      const wave = (distance / ring) % 2 < 1 ? 24 : 0
      noise ^= noise << 13
      noise ^= noise >>> 17
      noise ^= noise << 5
      pixels[offset] = (at(0) * (1 - across) + at(6) * across * 0.8 + wave + (noise & 3)) & 255
      pixels[offset + 1] = (at(1) * (1 - down) + at(7) * down * 0.8 + wave + ((noise >>> 2) & 3)) & 255
      pixels[offset + 2] = (at(2) * (1 - across * down) + at(9) * across * down * 0.8 + wave + ((noise >>> 4) & 3)) & 255
      offset += 3
    }
  }
  png.data = pixels
  return png
}

/** The stream form deflates outside the main thread: other answers go on meanwhile. */
function encode(png: PNG): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    png
      .pack()
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', reject)
      .on('end', () => resolve(Buffer.from(Buffer.concat(chunks).toString('base64'), 'latin1')))
  })
}
