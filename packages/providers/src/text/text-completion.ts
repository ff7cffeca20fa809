import type { AssistantPart } from './text-request.ts'

/**
 * Why a model stopped. `filtered` may come with some text or with none; `length` too, when thinking used the whole ceiling.
 * What an upstream executed without a usable answer is not a completion but an outcome.
 */
export const STOP_REASONS = ['finished', 'length', 'tool_calls', 'filtered'] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** Counts as the upstream reported them, spelled one way. */
export type TokenUsage = {
  /** Everything that was read, cached tokens and tool prompts included. */
  inputTokens: number
  cachedInputTokens: number
  /** Everything that was produced, reasoning included. */
  outputTokens: number
  reasoningTokens: number
}

export type TextCompletion = {
  /** Visible output in order; never a thought. */
  parts: AssistantPart[]
  stop: StopReason
  usage: TokenUsage
}

/** All visible text in one string, or null where there is none. */
export function textOf(completion: TextCompletion): string | null {
  const texts = completion.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('')
}
