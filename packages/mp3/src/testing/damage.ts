import { frameBytesAt, isMono } from '../frame-header.ts'

/** Bytes that look random and are the same on every run. */
export function noiseBytes(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed >>> 0 || 1
  for (let at = 0; at < length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[at] = state >>> 8
  }
  return bytes
}

export function id3v2(content: Uint8Array, { footer = false, claimed = content.length } = {}): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (claimed >> shift) & 0x7f)
  const head = (mark: string) => Buffer.from([...Buffer.from(mark), 4, 0, footer ? 0x10 : 0, ...size])
  return Buffer.concat([head('ID3'), content, ...(footer ? [head('3DI')] : [])])
}

export function id3v1(): Buffer {
  return Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 0x20)])
}

/** APEv2 with a header, APEv1 without. */
export function ape(content: Uint8Array, { header = true } = {}): Buffer {
  const block = (flags: number) => {
    const bytes = Buffer.alloc(32)
    bytes.write('APETAGEX')
    bytes.writeUInt32LE(header ? 2_000 : 1_000, 8)
    bytes.writeUInt32LE(content.length + 32, 12)
    bytes.writeUInt32LE(1, 16)
    bytes.writeUInt32LE(flags >>> 0, 20)
    return bytes
  }
  return Buffer.concat(header ? [block(0xa000_0000), content, block(0x8000_0000)] : [content, block(0)])
}

export function lyrics3(content: Uint8Array): Buffer {
  const size = String(content.length + 11).padStart(6, '0')
  return Buffer.concat([Buffer.from('LYRICSBEGIN'), content, Buffer.from(`${size}LYRICS200`)])
}

export function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = []
  let at = 0
  while (frameBytesAt(bytes, at) === 0) at += 1
  for (let length = frameBytesAt(bytes, at); length > 0 && at + length <= bytes.length; length = frameBytesAt(bytes, at)) {
    frames.push(bytes.subarray(at, at + length))
    at += length
  }
  return frames
}

/** The clip with its Xing or Info frame saying something else. */
export function forgeInfo(bytes: Buffer, forge: (tag: Buffer) => void): Buffer {
  const forged = Buffer.from(bytes)
  const at = Math.max(forged.indexOf('Xing'), forged.indexOf('Info'))
  if (at < 0) throw new Error('the clip has no info frame')
  forge(forged.subarray(at))
  return forged
}

/** A frame like the first one of `bytes`, silent, that holds Fraunhofer's seek data. */
export function vbriFrame(bytes: Buffer, claimedFrames: number): Buffer {
  const frame = Buffer.alloc(framesOf(bytes)[0]?.length ?? 0)
  bytes.copy(frame, 0, 0, 4)
  frame.write('VBRI', 36)
  frame.writeUInt32BE(claimedFrames, 36 + 14)
  return frame
}

/** Every frame protected by a checksum, which takes the place of its last two bytes. */
export function withChecksums(bytes: Buffer): Buffer {
  return Buffer.concat(
    framesOf(bytes).map((frame) => {
      const isMpeg1 = (frame[1] ?? 0) >> 3 === 0x1f
      const sideBytes = isMpeg1 ? (isMono(frame, 0) ? 17 : 32) : isMono(frame, 0) ? 9 : 17
      const header = Buffer.from(frame.subarray(0, 4))
      header[1] = (header[1] ?? 0) & 0xfe
      const sum = Buffer.alloc(2)
      sum.writeUInt16BE(crc16([...header.subarray(2), ...frame.subarray(4, 4 + sideBytes)]))
      return Buffer.concat([header, sum, frame.subarray(4, frame.length - 2)])
    }),
  )
}

function crc16(bytes: number[]): number {
  let sum = 0xffff
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = ((sum & 0x8000) !== 0 ? (sum << 1) ^ 0x8005 : sum << 1) & 0xffff
  }
  return sum
}
