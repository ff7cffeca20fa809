import { noiseBytes } from './damage.ts'

const KIB = 1_024

function repeat(unit: number[] | string, bytes: number): Buffer {
  return Buffer.alloc(bytes, typeof unit === 'string' ? Buffer.from(unit, 'latin1') : Buffer.from(unit))
}

/** An ID3v2 tag of its own size, so that what is inside is passed over, and looked through for hidden sound. */
function tagged(inside: Buffer): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (inside.length >> shift) & 0x7f)
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, ...size]), inside])
}

const FRAME = [0xff, 0xfb, 0x90, 0x00]
const SMALL_FRAME = [0xff, 0xf3, 0x14, 0xc0, ...Array<number>(20).fill(0)] // 24 bytes, the smallest there is

/** Inputs that would make a careless walk slow; each of about this many bytes. */
export function slowInputs(bytes: number): [name: string, input: Buffer][] {
  const inside: [string, Buffer][] = [
    ['ones', repeat([0xff], bytes)],
    ['zeros', repeat([0], bytes)],
    ['random bytes', noiseBytes(bytes)],
    ['ID3', repeat('ID3', bytes)],
    ['ID3v2 tags without content', repeat('ID3\u0004\0\0\0\0\0\0', bytes)],
    ['ID3v2 tags larger than the file', repeat('ID3\u0004\0\0\u007f\u007f\u007f\u007f', bytes)],
    ['TAG', repeat('TAG', bytes)],
    ['APETAGEX', repeat('APETAGEX', bytes)],
    ['LYRICSBEGIN', repeat('LYRICSBEGIN', bytes)],
    ['LYRICSBEGIN, and one end', Buffer.concat([repeat('LYRICSBEGIN', bytes), Buffer.from('000011LYRICS200')])],
    ['LYRICS200', repeat('000000LYRICS200', bytes)],
    ['headers only', repeat(FRAME, bytes)],
    ['headers that differ in rate', repeat([0xff, 0xfb, 0x90, 0x00, 0xff, 0xfb, 0x94, 0x00], bytes)],
    ['the smallest frames', repeat(SMALL_FRAME, bytes)],
    ['the smallest frames, one byte apart', repeat([...SMALL_FRAME, 0], bytes)],
    ['sync words', repeat([0xff, 0xfb], bytes)],
    ['almost sync words', repeat([0xff, 0xe0], bytes)],
  ]
  const start = repeat([...FRAME, ...Array<number>(413).fill(0)], 417 * 100)
  return [
    ...inside,
    ...inside.map(([name, input]): [string, Buffer] => [`${name}, after frames`, Buffer.concat([start, input])]),
    ...inside.map(([name, input]): [string, Buffer] => [`${name}, in a tag`, Buffer.concat([tagged(input), start])]),
  ]
}

/** A random mixture of what files and attacks are made of. */
export function randomMixture(bytes: number, seed: number): Buffer {
  const dice = noiseBytes(8 * KIB, seed)
  const kinds = slowInputs(4 * KIB)
  const parts: Buffer[] = []
  let length = 0
  for (let at = 0; length < bytes; at = (at + 3) % (dice.length - 3)) {
    const [, input] = kinds[(dice[at] ?? 0) % kinds.length] ?? ['', repeat([0], 1)]
    const part = input.subarray(0, 1 + (((dice[at + 1] ?? 0) * 256 + (dice[at + 2] ?? 0)) % input.length))
    parts.push(part)
    length += part.length
  }
  return Buffer.concat(parts, length)
}
