import { estimateInputTokens, type QuoteResult, quoteText } from '@turnpike/catalog'
import type { PromptContent, TextModel } from '@turnpike/contracts'

/** The price of a text request of either dialect: what reaches the model, estimated, and the ceiling. */
export function textPrice(request: { model: string; max_tokens: number }, prompt: PromptContent): QuoteResult {
  return quoteText(request.model as TextModel, { inputTokens: estimateInputTokens(prompt), maxTokens: request.max_tokens })
}
