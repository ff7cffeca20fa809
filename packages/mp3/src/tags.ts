import { standsAt } from './ascii.ts'

const ID3V2_HEADER_BYTES = 10
const ID3V1_BYTES = 128
const ID3V1_EXTENDED_BYTES = 227
const APE_HEADER_BYTES = 32
/** A Lyrics3 block says its length at its end only, in six digits. */
const MAX_LYRICS_BYTES = 1_000_024

/** The end of the tag that begins at `at`, or 0 when none does. A tag that claims to reach past the end of the bytes is none. */
export type TagReader = (at: number) => number

/** Ask for rising places. Of one that lies before an earlier one, a Lyrics3 block may go unseen: what was searched is not searched again. */
export function openTagReader(bytes: Uint8Array): TagReader {
  const lyricsEnd = lyricsReader(bytes)
  const within = (end: number) => (end <= bytes.length ? end : 0)
  return (at) => {
    switch (bytes[at]) {
      case 0x49: // I
        return within(id3v2End(bytes, at))
      case 0x54: // T
        return within(id3v1End(bytes, at))
      case 0x41: // A
        return within(apeEnd(bytes, at))
      case 0x4c: // L
        return lyricsEnd(at)
      default:
        return 0
    }
  }
}

/** Where the tags at the end of the bytes begin, whose length stands in their last bytes; the length of the bytes when there are none. */
export function trailingTagsStart(bytes: Uint8Array): number {
  let end = bytes.length
  while (true) {
    const start = trailingTagStart(bytes, end)
    if (start === undefined || start < 0) return end
    end = start
  }
}

function trailingTagStart(bytes: Uint8Array, end: number): number | undefined {
  if (standsAt(bytes, end - ID3V1_BYTES, 'TAG')) return end - ID3V1_BYTES
  if (standsAt(bytes, end - ID3V1_EXTENDED_BYTES, 'TAG+')) return end - ID3V1_EXTENDED_BYTES
  if (standsAt(bytes, end - APE_HEADER_BYTES, 'APETAGEX')) {
    const hasHeader = (littleEndian(bytes, end - 12) & 0x8000_0000) !== 0
    return end - littleEndian(bytes, end - 20) - (hasHeader ? APE_HEADER_BYTES : 0)
  }
  if (standsAt(bytes, end - 9, 'LYRICS200')) return lyricsStart(bytes, end)
  if (standsAt(bytes, end - ID3V2_HEADER_BYTES, '3DI')) {
    const size = syncsafe(bytes, end - 4)
    return size === undefined ? undefined : end - size - 2 * ID3V2_HEADER_BYTES
  }
  return undefined
}

function lyricsStart(bytes: Uint8Array, end: number): number | undefined {
  let size = 0
  for (let at = end - 15; at < end - 9; at++) {
    const digit = (bytes[at] ?? 0) - 0x30
    if (digit < 0 || digit > 9) return undefined
    size = size * 10 + digit
  }
  const start = end - 15 - size
  return size <= MAX_LYRICS_BYTES && standsAt(bytes, start, 'LYRICSBEGIN') ? start : undefined
}

function id3v2End(bytes: Uint8Array, at: number): number {
  if (!standsAt(bytes, at, 'ID3') || bytes[at + 3] === 0xff || bytes[at + 4] === 0xff) return 0
  const size = syncsafe(bytes, at + 6)
  if (size === undefined) return 0
  const hasFooter = ((bytes[at + 5] ?? 0) & 0x10) !== 0
  return at + ID3V2_HEADER_BYTES + size + (hasFooter ? ID3V2_HEADER_BYTES : 0)
}

function id3v1End(bytes: Uint8Array, at: number): number {
  if (standsAt(bytes, at, 'TAG+')) return at + ID3V1_EXTENDED_BYTES
  return standsAt(bytes, at, 'TAG') ? at + ID3V1_BYTES : 0
}

function apeEnd(bytes: Uint8Array, at: number): number {
  if (!standsAt(bytes, at, 'APETAGEX') || at + APE_HEADER_BYTES > bytes.length) return 0
  const isHeader = (littleEndian(bytes, at + 20) & 0x2000_0000) !== 0
  return at + APE_HEADER_BYTES + (isHeader ? littleEndian(bytes, at + 12) : 0)
}

/** A block in the middle must be searched for its end. The next end is remembered: searching anew for each beginning is quadratic. */
function lyricsReader(bytes: Uint8Array): TagReader {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let nextEnd = 0
  return (at) => {
    if (!standsAt(bytes, at, 'LYRICSBEGIN')) return 0
    if (nextEnd < at) {
      const found = text.indexOf('LYRICS200', at, 'latin1')
      nextEnd = found === -1 ? Number.POSITIVE_INFINITY : found
    }
    const end = nextEnd + 9
    return end <= bytes.length && lyricsStart(bytes, end) === at ? end : 0
  }
}

/** Four bytes of seven bits each; undefined when one has an eighth. */
function syncsafe(bytes: Uint8Array, at: number): number | undefined {
  let value = 0
  for (let index = at; index < at + 4; index++) {
    const byte = bytes[index]
    if (byte === undefined || byte > 0x7f) return undefined
    value = value * 128 + byte
  }
  return value
}

function littleEndian(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
}
