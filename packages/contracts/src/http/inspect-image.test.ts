import { describe, expect, it } from 'vitest'
import { inspectImage } from './inspect-image.ts'
import {
  GIF,
  JPEG_BASELINE,
  JPEG_PROGRESSIVE,
  PNG_2x3,
  WEBP_EXTENDED,
  WEBP_LOSSLESS,
  WEBP_LOSSY,
} from './testing/small-images.ts'

const bytes = (base64: string) => Buffer.from(base64, 'base64')
const inspect = (base64: string) => inspectImage(bytes(base64))
const ascii = (text: string) => Buffer.from(text, 'latin1')

function png(widthPx: number, heightPx: number): Buffer {
  const copy = bytes(PNG_2x3)
  copy.writeUInt32BE(widthPx, 16)
  copy.writeUInt32BE(heightPx, 20)
  return copy
}

describe('an image', () => {
  it.each([
    ['PNG', PNG_2x3, 'image/png', 2, 3],
    ['baseline JPEG', JPEG_BASELINE, 'image/jpeg', 5, 7],
    ['progressive JPEG', JPEG_PROGRESSIVE, 'image/jpeg', 5, 7],
    ['lossy WebP', WEBP_LOSSY, 'image/webp', 5, 7],
    ['lossless WebP', WEBP_LOSSLESS, 'image/webp', 5, 7],
    ['extended WebP', WEBP_EXTENDED, 'image/webp', 5, 7],
  ])('of %s is known by its bytes', (_what, base64, mimeType, widthPx, heightPx) => {
    expect(inspect(base64)).toEqual({ ok: true, mimeType, widthPx, heightPx })
  })

  it('is read where it lies in a larger buffer', () => {
    const around = Buffer.concat([Buffer.alloc(7, 0xff), bytes(PNG_2x3)])
    expect(inspectImage(new Uint8Array(around.buffer, around.byteOffset + 7, around.length - 7))).toMatchObject({ widthPx: 2 })
  })

  it('in JPEG has the size of its frame, not of the thumbnail before it', () => {
    const image = bytes(JPEG_BASELINE)
    const thumbnail = png(9, 9)
    const segment = Buffer.from([0xff, 0xe1, 0, 0])
    segment.writeUInt16BE(thumbnail.length + 2, 2)
    const fill = Buffer.from([0xff, 0xff])
    const whole = Buffer.concat([image.subarray(0, 2), segment, thumbnail, fill, image.subarray(2)])
    expect(inspectImage(whole)).toMatchObject({ ok: true, widthPx: 5, heightPx: 7 })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', ascii('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['PDF', ascii('%PDF-1.7')],
    ['a PNG without its header', bytes(PNG_2x3).subarray(0, 20)],
    ['a PNG that begins with another chunk', Buffer.from(png(1, 1).toString('latin1').replace('IHDR', 'IDAT'), 'latin1')],
    ['a PNG of no width', png(0, 3)],
    ['a JPEG that ends before its frame', bytes(JPEG_BASELINE).subarray(0, 100)],
    ['a JPEG that ends within its frame header', bytes(JPEG_BASELINE).subarray(0, 144)],
    ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0])],
    ['a JPEG with a segment of no length', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0])],
    ['a JPEG with rubbish between segments', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 1, 2, 3, 4])],
    ['a WebP of an unknown kind', Buffer.from(bytes(WEBP_LOSSY).toString('latin1').replace('VP8 ', 'VP9 '), 'latin1')],
    ['a WebP that is cut off', bytes(WEBP_LOSSY).subarray(0, 25)],
    ['a sound in RIFF', ascii('RIFF\0\0\0\0WAVEfmt ')],
  ])('is not %s', (_what, content) => {
    expect(inspectImage(content)).toEqual({ ok: false, why: 'not_an_image' })
  })

  it.each([
    ['GIF', bytes(GIF)],
    ['BMP', ascii('BM\0\0\0\0')],
    ['TIFF', Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0])],
    ['HEIC', ascii('\0\0\0\x18ftypheic')],
    ['animated WebP', Buffer.from(bytes(WEBP_EXTENDED).map((byte, index) => (index === 20 ? byte | 2 : byte)))],
  ])('of a type that no model takes is named so: %s', (_what, content) => {
    expect(inspectImage(content)).toEqual({ ok: false, why: 'unsupported_type' })
  })

  it('may be 16384 pixels a side and 64 million in all, however small the file', () => {
    expect(inspectImage(png(16_384, 3_906))).toMatchObject({ ok: true })
    expect(inspectImage(png(8_000, 8_000))).toMatchObject({ ok: true })
    for (const bomb of [png(16_385, 1), png(1, 16_385), png(8_001, 8_000), png(0xffff_ffff, 0xffff_ffff)]) {
      expect(inspectImage(bomb)).toEqual({ ok: false, why: 'too_many_pixels' })
    }
  })

  it('of 20 MiB in the smallest segments is judged at once', () => {
    const hostile = Buffer.alloc(20 * 1024 * 1024)
    for (let at = 0; at < hostile.length; at += 4) hostile.writeUInt32BE(0xffe0_0002, at)
    hostile.writeUInt16BE(0xffd8, 0)
    hostile.writeUInt16BE(0xffff, 2)
    const startedUs = process.threadCpuUsage().user
    expect(inspectImage(hostile)).toEqual({ ok: false, why: 'not_an_image' })
    expect(inspectImage(Buffer.alloc(20 * 1024 * 1024, 0xff))).toEqual({ ok: false, why: 'not_an_image' })
    // Processor time: a machine that is busy with something else says nothing about this.
    expect(process.threadCpuUsage().user - startedUs).toBeLessThan(5_000_000)
  })

  it('that a byte was changed in never throws', () => {
    for (const sample of [PNG_2x3, JPEG_BASELINE, WEBP_LOSSY, WEBP_LOSSLESS, WEBP_EXTENDED]) {
      for (let at = 0; at < bytes(sample).length; at++) {
        for (const value of [0, 0x7f, 0xff]) {
          const changed = bytes(sample)
          changed[at] = value
          expect(typeof inspectImage(changed).ok).toBe('boolean')
          expect(typeof inspectImage(changed.subarray(0, at)).ok).toBe('boolean')
        }
      }
    }
  })
})
