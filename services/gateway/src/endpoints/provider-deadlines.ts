const TEXT_BASE_MS = 60_000
const TEXT_TOKENS_PER_SECOND = 150

export const MEDIA_DEADLINE_MS = 120_000
export const TRANSCRIPTION_DEADLINE_MS = 300_000

/** 60 s plus 1 s for every 150 tokens of the ceiling. */
export function textDeadlineMs(maxTokens: number): number {
  return TEXT_BASE_MS + Math.ceil(maxTokens / TEXT_TOKENS_PER_SECOND) * 1000
}
