import { describe, expect, it } from 'vitest'
import { clip, OTHER_CLIPS } from './testing/clips.ts'
import { ape, framesOf, id3v1, id3v2, noiseBytes } from './testing/damage.ts'
import { walkMp3 } from './walk-mp3.ts'

const verdict = (bytes: Uint8Array) => {
  const walk = walkMp3(bytes)
  return walk.ok ? walk.durationMs : walk.why
}
const join = (...parts: Uint8Array[]) => Buffer.concat(parts)
/** MPEG-1, 128 kbit/s, 44.1 kHz, stereo: 417 bytes each, 26.12 ms. */
const HEADER = [0xff, 0xfb, 0x90, 0x00]
const frames = (count: number, header = HEADER, length = 417) => {
  const frame = Buffer.alloc(length)
  Buffer.from(header).copy(frame)
  return join(...Array<Buffer>(count).fill(frame))
}

describe('what is no MP3', () => {
  it.each(OTHER_CLIPS)('is refused: %s', async (name) => {
    expect(walkMp3(await clip(name)).ok).toBe(false)
  })

  it.each([
    'wav',
    'wav around mp3',
    'aiff',
    'flac',
    'vorbis',
    'mp4 of aac',
    'mp4 around mp3',
    'aac in adts',
    'aac in adts after ID3',
  ] as const)('is told to be another format: %s', async (name) => {
    expect(verdict(await clip(name))).toBe('other_format')
  })

  it('is told to be another layer or free format', async () => {
    expect(verdict(await clip('mpeg layer II'))).toBe('other_layer')
    expect(verdict(frames(100, [0xff, 0xff, 0x90, 0x00]))).toBe('other_layer')
    expect(verdict(frames(100, [0xff, 0xfb, 0x00, 0x00]))).toBe('free_format')
  })

  it.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'no_frames'],
    ['a byte', Buffer.alloc(1, 0xff), 'no_frames'],
    ['text', Buffer.from('hello '.repeat(50)), 'no_frames'],
    ['much text', Buffer.from('hello '.repeat(50_000)), 'late_first_frame'],
    ['zeros', Buffer.alloc(1_000_000), 'late_first_frame'],
    ['ones', Buffer.alloc(1_000_000, 0xff), 'late_first_frame'],
    ['2 MB of random bytes', noiseBytes(2_000_000), 'late_first_frame'],
    ['tags alone', join(id3v2(Buffer.alloc(500)), ape(Buffer.alloc(100)), id3v1()), 'no_frames'],
    ['headers of bitrate 15', frames(50, [0xff, 0xfb, 0xf0, 0x00]), 'late_first_frame'],
    ['headers of the reserved rate', frames(50, [0xff, 0xfb, 0x9c, 0x00]), 'late_first_frame'],
    ['headers of the reserved version', frames(50, [0xff, 0xeb, 0x90, 0x00]), 'late_first_frame'],
    ['headers of the reserved emphasis', frames(50, [0xff, 0xfb, 0x90, 0x02]), 'late_first_frame'],
    ['a first frame beyond 4 kB', join(Buffer.alloc(4_097), frames(1_000)), 'late_first_frame'],
  ])('is refused: %s', (_what, bytes, why) => {
    expect(verdict(bytes)).toBe(why)
  })

  it('may not be mostly something else', async () => {
    const mp3 = await clip('mpeg1-44100-bare')
    expect(verdict(join(mp3, noiseBytes(1_000_000)))).toBe('too_much_junk')
    expect(verdict(join(mp3, Buffer.alloc(1_000_000)))).toBe('too_much_junk')
    expect(verdict(join(mp3.subarray(0, 100_000), noiseBytes(40_000), mp3.subarray(100_000)))).toBe('too_much_junk')
  })
})

describe('a short clip', () => {
  it.each([
    [1, 26],
    [2, 52],
    [3, 78],
    [4, 104],
  ])('of %i frames and nothing else plays %i ms', (count, durationMs) => {
    expect(verdict(frames(count))).toBe(durationMs)
    expect(verdict(join(id3v2(Buffer.alloc(40)), frames(count), id3v1()))).toBe(durationMs)
    expect(verdict(join(frames(count), id3v2(Buffer.alloc(40)), frames(10)))).toBe(Math.round(((count + 10) * 1_152) / 44.1))
  })

  it.each([1, 2])('of %i frames is refused among anything else', (count) => {
    expect(verdict(join(frames(count), Buffer.alloc(1)))).toBe('no_frames')
    expect(verdict(join(Buffer.alloc(1), frames(count)))).toBe('no_frames')
    expect(verdict(frames(count).subarray(0, -1))).toBe('no_frames')
  })

  it('of an info frame alone plays nothing', () => {
    const info = frames(1)
    info.write('Info', 36)
    expect(verdict(info)).toBe('no_frames')
    expect(verdict(join(info, frames(1)))).toBe(26)
  })

  it('of info frames alone is priced but for the first: decoders play the others', () => {
    const info = frames(1)
    info.write('Xing', 36)
    expect(verdict(join(...Array<Buffer>(1_001).fill(info)))).toBe(26_122)
  })
})

describe('sound that is hidden from the walk', () => {
  it.each<[string, (inside: Buffer) => Buffer]>([
    ['an ID3v2 tag', (inside) => id3v2(inside)],
    ['an APE tag', (inside) => ape(inside)],
    ['an APE tag of the first version', (inside) => ape(inside, { header: false })],
  ])('in %s is refused, wherever the tag stands', async (_what, wrap) => {
    const shown = frames(200)
    const hidden = await clip('mpeg1-44100-bare')
    // Frames that are not in a row are played, too, by decoders that look for one at a time.
    const apart = join(...framesOf(hidden).flatMap((frame) => [frame, Buffer.alloc(1)]))
    for (const inside of [hidden, apart]) {
      expect(verdict(join(shown, wrap(inside)))).toBe('hidden_sound')
      if (wrap(inside).indexOf('APETAGEX') !== inside.length) {
        expect(verdict(join(wrap(inside), shown))).toBe('hidden_sound')
        expect(verdict(join(shown, wrap(inside), shown))).toBe('hidden_sound')
      }
    }
  })

  it('in junk is refused', () => {
    // 8 kbit/s at 8 kHz: 72 bytes play 72 ms, so the junk that 2 % leaves room for would play for half a minute.
    const lone = join(frames(1, [0xff, 0xe3, 0x18, 0xc0], 72), Buffer.alloc(1))
    expect(verdict(join(frames(4_000), ...Array<Buffer>(300).fill(lone), frames(4_000)))).toBe('hidden_sound')
  })
})
