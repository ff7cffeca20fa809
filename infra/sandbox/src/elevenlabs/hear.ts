import { type FrameHeader, readFrameHeader, sideInfo } from './mp3-frame.ts'

export interface Heard {
  milliseconds: number
  frames: number
}

/** As far as this goes without a frame before the bytes are no MP3. */
const maxJunkBytes = 4_096

/** Walks the frames of an MP3 and adds up their samples; undefined when there is none to lock on to. */
export function hear(audio: Buffer): Heard | undefined {
  let offset = skipLeadingTags(audio)
  let junk = 0
  let milliseconds = 0
  let frames = 0
  let locked: FrameHeader | undefined
  while (offset + 4 <= audio.length) {
    const header = readFrameHeader(audio, offset)
    if (header && (locked ? sameStream(locked, header) : confirmsLock(audio, offset, header))) {
      // Half a frame is not heard.
      if (offset + header.bytes > audio.length) break
      if (!isInfoFrame(audio, offset, header)) {
        frames += 1
        milliseconds += (header.samples / header.sampleRate) * 1_000
      }
      locked = header
      offset += header.bytes
      junk = 0
    } else {
      if (isTrailingTag(audio, offset)) break
      offset += 1
      junk += 1
      if (junk > maxJunkBytes) break
    }
  }
  return frames === 0 ? undefined : { milliseconds: Math.round(milliseconds), frames }
}

function sameStream(one: FrameHeader, other: FrameHeader): boolean {
  return one.version === other.version && one.sampleRate === other.sampleRate
}

/** Two frames must follow where the first says they do, or the audio must end there. */
function confirmsLock(audio: Buffer, offset: number, first: FrameHeader): boolean {
  let at = offset + first.bytes
  for (let following = 0; following < 2; following += 1) {
    if (at >= audio.length || isTrailingTag(audio, at)) return true
    const header = readFrameHeader(audio, at)
    if (!header || !sameStream(first, header)) return false
    at += header.bytes
  }
  return true
}

function skipLeadingTags(audio: Buffer): number {
  let offset = 0
  while (offset + 10 <= audio.length && audio.toString('latin1', offset, offset + 3) === 'ID3') {
    const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((audio[offset + index] ?? 0) & 0x7f), 0)
    const footer = ((audio[offset + 5] ?? 0) & 0x10) === 0 ? 0 : 10
    offset += 10 + size + footer
  }
  return offset
}

function isTrailingTag(audio: Buffer, offset: number): boolean {
  if (audio.length - offset === 128 && audio.toString('latin1', offset, offset + 3) === 'TAG') return true
  return audio.toString('latin1', offset, offset + 8) === 'APETAGEX'
}

/** Encoders put a silent frame with seek data first; players do not play it. */
function isInfoFrame(audio: Buffer, offset: number, header: FrameHeader): boolean {
  const side = sideInfo(header)
  const at = offset + side.offset + side.bytes
  const tag = audio.toString('latin1', at, at + 4)
  return tag === 'Xing' || tag === 'Info' || audio.toString('latin1', offset + 36, offset + 40) === 'VBRI'
}
