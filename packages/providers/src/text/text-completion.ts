import type { TextPart, ToolCallPart } from './text-request.ts'

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

/** Without an id where the upstream gave none: each dialect has ids of its own looks. */
export type CompletedToolCall = Omit<ToolCallPart, 'id'> & { id?: string }
export type CompletionPart = TextPart | CompletedToolCall

export type TextCompletion = {
  /** Visible output in order; never a thought. */
  parts: CompletionPart[]
  stop: StopReason
  usage: TokenUsage
  /** What the upstream itself said, signatures included, for a client that asked for raw output. Names no upstream and no model. */
  providerParts: Record<string, unknown>[]
}

/** The answer for a client that takes one call at a time: what comes after the first call is not given back. */
export function firstCallOnly(completion: TextCompletion): TextCompletion {
  const first = completion.parts.findIndex((part) => part.type === 'tool_call')
  return first < 0 ? completion : { ...completion, parts: completion.parts.slice(0, first + 1) }
}

/** All visible text in one string, or null where there is none. */
export function textOf(completion: TextCompletion): string | null {
  const texts = completion.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('')
}
