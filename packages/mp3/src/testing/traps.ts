import { CLIP_MS, clip } from './clips.ts'
import { ape, forgeInfo, framesOf, id3v1, id3v2, lyrics3, noiseBytes, vbriFrame, withChecksums } from './damage.ts'

/** `trueMs` is what was encoded: each encoding plays up to 60 ms more, the encoder's own delay and padding. */
export type Trap = { name: string; bytes: Buffer; trueMs: number; parts: number }

const join = (...parts: Uint8Array[]) => Buffer.concat(parts)

/** Files whose headers lie about them, or that readers of headers get wrong; all of them are MP3. */
export async function traps(): Promise<Trap[]> {
  const cbr = await clip('mpeg1-44100-mono-cbr')
  const vbr = await clip('mpeg1-44100-stereo-vbr')
  const bare = await clip('mpeg1-44100-bare')
  const other = await clip('mpeg1-48000-bare')
  const low = await clip('mpeg2-24000-bare')
  const plain = await clip('mpeg1-44100-no-reservoir')
  const half = Math.floor(bare.length / 2)
  const frames = framesOf(bare)
  const middle = join(...frames.slice(0, frames.length >> 1)).length
  const rest = bare.subarray(middle)
  const start = bare.subarray(0, middle)
  const art = noiseBytes(300_000)
  const text = Buffer.from('TIT2 Anything at all', 'latin1')
  const frameCount = (count: number) => (tag: Buffer) => tag.writeUInt32BE(count, 8)

  const once: [string, Buffer][] = [
    ['Xing that says one frame', forgeInfo(vbr, frameCount(1))],
    ['Xing that says a year', forgeInfo(vbr, frameCount(1_207_000_000))],
    ['Info that says one frame', forgeInfo(cbr, frameCount(1))],
    ['LAME delay and padding of 4095 each', forgeInfo(cbr, (tag) => tag.fill(0xff, 0x8d, 0x90))],
    ['VBRI that says one frame', join(vbriFrame(bare, 1), bare)],
    ['no info frame', bare],
    ['ID3v2 with 300 kB of album art', join(id3v2(art), bare)],
    ['two ID3v2 at the start', join(id3v2(text), id3v2(art), bare)],
    ['ID3v2 with a footer', join(id3v2(text, { footer: true }), bare)],
    ['ID3v2 that says it is larger than the file', join(id3v2(text, { claimed: 200_000_000 }), bare)],
    ['ID3v2 that says it is empty', join(id3v2(noiseBytes(900), { claimed: 0 }), bare)],
    ['ID3v2 in the middle', join(start, id3v2(text), rest)],
    ['ID3v2 with album art in the middle', join(start, id3v2(art), rest)],
    ['ID3v1 in the middle', join(start, id3v1(), rest)],
    ['APE tag in the middle', join(start, ape(text), rest)],
    ['Lyrics3 in the middle', join(start, lyrics3(text), rest)],
    ['APE tag at the start', join(ape(art), bare)],
    ['ID3v1 at the end', join(bare, id3v1())],
    ['APE tag of the first version at the end', join(bare, ape(art, { header: false }))],
    ['APE, Lyrics3 and ID3v1 at the end', join(bare, ape(art), lyrics3(text), id3v1())],
    ['ID3v2 with a footer at the end', join(bare, id3v2(art, { footer: true }))],
    ['checksums', withChecksums(plain)],
    ['2,000 zeros after the tag', join(id3v2(text), Buffer.alloc(2_000), bare)],
    ['random tail of 4 kB', join(bare, noiseBytes(4_000, 5))],
    ['700 random bytes in the middle', join(start, noiseBytes(700, 9), rest)],
  ]
  return [
    ...once.map(([name, bytes]) => ({ name, bytes, trueMs: CLIP_MS, parts: 1 })),
    { name: 'two files in one', bytes: join(cbr, cbr), trueMs: 2 * CLIP_MS, parts: 2 },
    {
      name: 'two files in one, each with its tags',
      bytes: join(id3v2(art), vbr, id3v1(), id3v2(art), vbr, id3v1()),
      trueMs: 2 * CLIP_MS,
      parts: 2,
    },
    { name: 'two rates in one', bytes: join(bare, other), trueMs: 2 * CLIP_MS, parts: 2 },
    { name: 'two MPEG versions in one', bytes: join(other, low), trueMs: 2 * CLIP_MS, parts: 2 },
    { name: 'cut off in the middle of a frame', bytes: bare.subarray(0, middle + 100), trueMs: CLIP_MS / 2, parts: 1 },
    {
      name: 'cut off anywhere, with an Info frame for all',
      bytes: cbr.subarray(0, half),
      trueMs: (CLIP_MS * half) / cbr.length,
      parts: 1,
    },
    { name: 'begins in the middle of a frame', bytes: bare.subarray(middle + 100), trueMs: CLIP_MS / 2, parts: 1 },
  ]
}
