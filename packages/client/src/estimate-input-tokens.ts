import {
  canonical,
  type PromptContent,
  parseChatCompletion,
  parseMessages,
  promptOfChat,
  promptOfMessages,
  type RequestProblem,
} from '@turnpike/contracts'
import { estimateTextTokens } from './estimate-text-tokens.ts'
import { imageTokens } from './image-tokens.ts'
import { INPUT_TOKEN_ESTIMATE } from './published-rule.ts'

/** Input tokens that a text request is charged as: a whole number, from the request alone. */
export function estimateInputTokens(prompt: PromptContent): number {
  let tokens = INPUT_TOKEN_ESTIMATE.per_request + prompt.messages * INPUT_TOKEN_ESTIMATE.per_message
  for (const text of prompt.texts) tokens += estimateTextTokens(text)
  for (const value of prompt.json) tokens += estimateTextTokens(canonical(value))
  for (const image of prompt.images) tokens += imageTokens(image)
  return tokens
}

export type RequestEstimate = { ok: true; inputTokens: number } | { ok: false; problem: RequestProblem }

/** For clients: the same from the body as it is sent, parsed from its JSON. A body that would be refused has no estimate. */
export function estimateRequestTokens(endpoint: '/v1/chat/completions' | '/v1/messages', body: unknown): RequestEstimate {
  if (endpoint === '/v1/chat/completions') {
    const parsed = parseChatCompletion(body)
    return parsed.ok ? { ok: true, inputTokens: estimateInputTokens(promptOfChat(parsed.value)) } : parsed
  }
  const parsed = parseMessages(body)
  return parsed.ok ? { ok: true, inputTokens: estimateInputTokens(promptOfMessages(parsed.value)) } : parsed
}
