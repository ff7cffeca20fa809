export const MAX_AUDIO_BYTES = 26_214_400
export const MAX_AUDIO_MS = 3_510_000
/** The upstream takes nothing shorter. */
export const MIN_AUDIO_MS = 100
/** The Base64 of MAX_AUDIO_BYTES. */
export const MAX_AUDIO_BASE64_CHARACTERS = 34_952_536
