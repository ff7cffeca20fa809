import { mp3Formats, synthesize } from './synthesize.ts'

/**
 * An MP3 as the sandbox speaks it: about 65 ms for a character, 128 kbit/s. `title` goes into an ID3 tag, so that clips that sound alike
 * differ and can be found in what was sent.
 */
export function speechClip(text: string, { title }: { title?: string } = {}): Buffer {
  const format = mp3Formats.get('mp3_44100_128')
  if (format === undefined) throw new TypeError('no such format')
  const frames = Buffer.concat(synthesize({ text, speed: 1, format }))
  return title === undefined ? frames : Buffer.concat([titleTag(title), frames])
}

/** ID3v2.4 with one TIT2 frame in UTF-8. Sizes are 28 bits in four bytes. */
function titleTag(title: string): Buffer {
  const text = Buffer.concat([Buffer.from([3]), Buffer.from(title)])
  const frame = Buffer.concat([Buffer.from('TIT2'), sizeOf(text.length), Buffer.from([0, 0]), text])
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0]), sizeOf(frame.length), frame])
}

const longestTitleBytes = 400

/** The title in the tag of an MP3, wherever that is in a request's body; empty where there is none. */
export function titleIn(body: Buffer): string {
  const at = body.indexOf('TIT2')
  if (at < 0 || body.length < at + 11) return ''
  const bytes = [4, 5, 6, 7].reduce((size, offset) => (size << 7) | (body.readUInt8(at + offset) & 0x7f), 0)
  // After the size two bytes of flags, then one that says UTF-8.
  return body.toString('utf8', at + 11, at + 10 + Math.min(bytes, longestTitleBytes))
}

function sizeOf(bytes: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f))
}
