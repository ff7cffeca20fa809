import type { EffectiveChatRequest } from '@turnpike/contracts'
import { estimateTextTokens, INPUT_TOKEN_ESTIMATE } from './estimate-input-tokens.ts'

/** Every text that reaches the model, plus the fixed cost of a request and of each message. */
export function estimateChatTokens(request: EffectiveChatRequest): number {
  let tokens: number = INPUT_TOKEN_ESTIMATE.per_request
  for (const { content } of request.messages) {
    tokens += INPUT_TOKEN_ESTIMATE.per_message
    if (typeof content === 'string') tokens += estimateTextTokens(content)
    else for (const part of content ?? []) if (part.type === 'text') tokens += estimateTextTokens(part.text)
  }
  return tokens
}
