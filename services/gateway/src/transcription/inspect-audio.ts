import { invalid, MAX_AUDIO_BYTES, MAX_AUDIO_MS, MIN_AUDIO_MS, type Parsed, sha256Hex } from '@turnpike/contracts'
import { type Mp3Refusal, walkMp3 } from '@turnpike/mp3'

/** `sha256` in hex. */
export type InspectedAudio = { bytes: Uint8Array<ArrayBuffer>; sha256: string; durationMs: number }

const WHY: Record<Mp3Refusal, string> = {
  other_format: 'it is of another format',
  other_layer: 'it is MPEG audio of another layer than III',
  free_format: 'its bitrate is free format',
  no_frames: 'it has no frames',
  late_first_frame: 'it does not begin with a frame or a tag',
  too_much_junk: 'too much of it is neither frames nor tags',
  hidden_sound: 'its tags hold sound',
}

/** Whether this is an MP3 within the limits, and how long it plays by its own frames. `field` names it in a refusal. Pure. */
export function inspectAudio(bytes: Uint8Array<ArrayBuffer>, field: 'audio_base64' | 'file'): Parsed<InspectedAudio> {
  if (bytes.length > MAX_AUDIO_BYTES) {
    return invalid(field, `${field} has more than ${MAX_AUDIO_BYTES} bytes of audio.`, 'audio_too_large')
  }
  const walk = walkMp3(bytes)
  if (!walk.ok) return invalid(field, `${field} is not one complete MP3: ${WHY[walk.why]}.`, 'invalid_audio')
  const { durationMs } = walk
  if (durationMs > MAX_AUDIO_MS) {
    return invalid(field, `${field} plays ${durationMs} ms; the model takes ${MAX_AUDIO_MS}.`, 'audio_too_long')
  }
  if (durationMs < MIN_AUDIO_MS) {
    return invalid(field, `${field} plays ${durationMs} ms; the model takes nothing below ${MIN_AUDIO_MS}.`, 'audio_too_short')
  }
  return { ok: true, value: { bytes, sha256: sha256Hex(bytes), durationMs } }
}
