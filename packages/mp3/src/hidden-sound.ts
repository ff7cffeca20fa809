import { frameBytesAt, frameMs, streamAt } from './frame-header.ts'

/**
 * How long a lenient decoder might play in bytes that the walk passed over: one that believes in no tag and takes every header for a
 * frame. In random bytes it finds about 2.5 ms a KiB.
 */
export function playableMs(bytes: Uint8Array, from: number, to: number): number {
  let ms = 0
  for (let at = from; at < to; ) {
    const length = frameBytesAt(bytes, at)
    if (length === 0 || at + length > to) at += 1
    else {
      ms += frameMs(streamAt(bytes, at))
      at += length
    }
  }
  return ms
}

const ALWAYS_ALLOWED_MS = 2_000
const ALLOWED_MS_PER_KIB = 4

/**
 * Album art holds what looks like a frame now and then; a tag around a recording is a way to be played without being priced. The
 * allowance is what chance needs, and costs less than a cent for the largest of files.
 */
export function hidesSound(playable: number, passedOverBytes: number): boolean {
  return playable > ALWAYS_ALLOWED_MS + (passedOverBytes / 1_024) * ALLOWED_MS_PER_KIB
}
