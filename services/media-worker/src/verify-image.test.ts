import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { noise } from './testing/noise-image.ts'
import { verifyImage } from './verify-image.ts'

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 }
const verdictOn = (bytes: Buffer) => verifyImage({ bytes, usage })

let png: Buffer
let jpeg: Buffer
beforeAll(async () => {
  png = await noise().png().toBuffer()
  jpeg = await noise().jpeg().toBuffer()
})

/** One bit of the pixels is another, and the checksums say so. */
function damaged(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 0x10
  return copy
}

/** A PNG whose header promises this size and whose pixels are the zeros of one deflated megabyte. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(1_048_576)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))])
}

describe('an image', () => {
  it('of 1024x1024 that decodes is what its bytes say that it is', async () => {
    expect(png.length).toBeGreaterThan(500_000)
    expect(await verdictOn(png)).toEqual({ ok: true, value: { bytes: png, usage, contentType: 'image/png' } })
    expect(await verdictOn(jpeg)).toMatchObject({ ok: true, value: { contentType: 'image/jpeg' } })
  })

  it.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['cut in the middle', () => png.subarray(0, png.length >> 1), 'not_decodable'],
    ['without its last row', () => png.subarray(0, png.length - 2_000), 'not_decodable'],
    ['with a damaged pixel', () => damaged(png, png.length >> 1), 'not_decodable'],
    ['that is a JPEG cut in the middle', () => jpeg.subarray(0, jpeg.length >> 1), 'not_decodable'],
    ['that is a header only', () => png.subarray(0, 33), 'not_decodable'],
    ['that is smaller', () => noise({ width: 512, height: 512 }).png().toBuffer(), 'other_size'],
    ['that is not square', () => noise({ width: 1_024, height: 768 }).jpeg().toBuffer(), 'other_size'],
    ['that is larger', () => noise({ width: 1_025, height: 1_024 }).png().toBuffer(), 'not_decodable'],
    ['that would unfold into gigabytes', () => bomb(65_000, 65_000), 'not_decodable'],
    ['whose header promises more than there is', () => bomb(1_024, 1_024), 'not_decodable'],
    ['that is a WebP', () => noise().webp().toBuffer(), 'other_format'],
    ['that is an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"/>'), 'other_format'],
    ['of no bytes', () => Buffer.alloc(0), 'other_format'],
    ['that is words', () => Buffer.from('Here is your image.'), 'other_format'],
  ])('%s is broken', async (_title, make, why) => {
    expect(await verdictOn(await make())).toEqual({ ok: false, why })
  })

  it('that would unfold into gigabytes costs next to nothing', async () => {
    const before = process.memoryUsage().rss
    await verdictOn(bomb(65_000, 65_000))
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576)
    expect(sharp.cache().memory.current).toBeLessThan(64)
  })
})
