import { foreignHeaderAt, frameBytesAt, frameMs, STREAMS, streamAt } from './frame-header.ts'
import { hidesSound, playableMs } from './hidden-sound.ts'
import { isInfoFrame } from './info-frame.ts'
import { isOtherFormat } from './other-formats.ts'
import { openTagReader, type TagReader, trailingTagsStart } from './tags.ts'

export type Mp3Refusal =
  /** RIFF, MP4, Ogg, FLAC, AAC and the like. */
  | 'other_format'
  /** MPEG audio of Layer I or II. */
  | 'other_layer'
  | 'free_format'
  /** Nowhere three frames in a row, nor a shorter clip that is frames and nothing else. */
  | 'no_frames'
  | 'late_first_frame'
  | 'too_much_junk'
  /** Tags or junk hold what a lenient decoder would play. */
  | 'hidden_sound'

export type Mp3Walk =
  /** `durationMs` is whole, at least 1. `junkBytes` are neither frames nor tags. */
  { ok: true; durationMs: number; frames: number; junkBytes: number } | { ok: false; why: Mp3Refusal }

const MAX_JUNK_BEFORE_FIRST_FRAME_BYTES = 4_096
/** Junk of a whole file: 2 % of it, at least a few frames, and never so much that sound hidden in it would be worth a cent. */
const MAX_JUNK_SHARE = 0.02
const MIN_JUNK_BYTES = 4_096
const MAX_JUNK_BYTES = 32_768
const LOCK_FRAMES = 3

/**
 * The duration of an MP3 from its complete Layer III frames, each at its own rate. No claim of any header about the whole (Xing, Info,
 * VBRI, ID3) is read. Linear in the length of the bytes, whatever they are; copies nothing.
 */
export function walkMp3(bytes: Uint8Array): Mp3Walk {
  const tagEndAt = openTagReader(bytes)
  const end = trailingTagsStart(bytes)
  const maxJunkBytes = Math.min(MAX_JUNK_BYTES, Math.max(MIN_JUNK_BYTES, bytes.length * MAX_JUNK_SHARE))
  const counts = new Float64Array(STREAMS)
  let hasStarted = false
  let junkBytes = 0
  let junkFrom = -1 // where the junk that is being passed over began
  let firstJunk = 0
  let passedOverBytes = 0
  let hiddenMs = 0
  const passOver = (from: number, to: number) => {
    passedOverBytes += to - from
    hiddenMs += playableMs(bytes, from, to)
  }
  const endJunk = (at: number) => {
    if (junkFrom >= 0) passOver(junkFrom, at)
    junkFrom = -1
  }

  passOver(end, bytes.length)
  for (let at = 0; at < end; ) {
    if (locksAt(bytes, at, end, junkFrom !== -1, tagEndAt)) {
      endJunk(at)
      // Only the first: further on decoders play such a frame, so a file made of nothing else would be free.
      if (!hasStarted && isInfoFrame(bytes, at)) at += frameBytesAt(bytes, at)
      else at = countFrames(bytes, at, end, counts)
      hasStarted = true
      continue
    }
    const tagEnd = tagEndAt(at)
    if (tagEnd > 0) {
      endJunk(at)
      passOver(at, tagEnd)
      at = tagEnd
      continue
    }
    if (junkBytes === 0 && !hasStarted && isOtherFormat(bytes, at)) return { ok: false, why: 'other_format' }
    if (junkBytes === 0) firstJunk = at
    if (junkFrom === -1) junkFrom = at
    junkBytes += 1
    if (!hasStarted && junkBytes > MAX_JUNK_BEFORE_FIRST_FRAME_BYTES) {
      return { ok: false, why: foreignHeaderAt(bytes, firstJunk) ?? 'late_first_frame' }
    }
    if (junkBytes > maxJunkBytes) return { ok: false, why: 'too_much_junk' }
    at += 1
  }
  endJunk(end)

  const frames = counts.reduce((sum, count) => sum + count, 0)
  if (hidesSound(hiddenMs, passedOverBytes)) return { ok: false, why: 'hidden_sound' }
  if (frames === 0) return { ok: false, why: (hasStarted ? undefined : foreignHeaderAt(bytes, firstJunk)) ?? 'no_frames' }
  const durationMs = counts.reduce((sum, count, stream) => sum + (count === 0 ? 0 : count * frameMs(stream)), 0)
  return { ok: true, durationMs: Math.max(1, Math.round(durationMs)), frames, junkBytes }
}

/**
 * Three headers in a row of equal version, layer and rate, each where the one before says. A clip of one or two frames has none: its
 * frames count if they begin where the last frame or tag ended, and end where the bytes or the next tag do.
 */
function locksAt(bytes: Uint8Array, start: number, end: number, isAfterJunk: boolean, tagEndAt: TagReader): boolean {
  let length = frameBytesAt(bytes, start)
  if (length === 0) return false
  const stream = streamAt(bytes, start)
  let at = start
  for (let confirmed = 1; confirmed < LOCK_FRAMES; confirmed++) {
    at += length
    if (at >= end) return at === end && !isAfterJunk
    length = frameBytesAt(bytes, at)
    if (length === 0 || streamAt(bytes, at) !== stream) return !isAfterJunk && tagEndAt(at) > 0
  }
  return true
}

/** Counts the complete frames of one stream from `start` on. Returns where it ends; a frame that is cut off ends it too, uncounted. */
function countFrames(bytes: Uint8Array, start: number, end: number, counts: Float64Array): number {
  const stream = streamAt(bytes, start)
  let at = start
  let count = 0
  while (at < end) {
    const length = frameBytesAt(bytes, at)
    if (length === 0 || streamAt(bytes, at) !== stream) break
    if (at + length > end) {
      at = end
      break
    }
    at += length
    count += 1
  }
  counts[stream] = (counts[stream] ?? 0) + count
  return at
}
