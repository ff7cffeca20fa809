import { estimateTextTokens, INPUT_TOKEN_ESTIMATE, type QuoteResult, quoteText } from '@turnpike/catalog'
import { canonical, type PromptContent, type TextModel } from '@turnpike/contracts'

const LARGEST_IMAGE_TOKENS = 1_120

/** The price of a text request of either dialect: what reaches the model, estimated, and the ceiling. */
export function textPrice(request: { model: string; max_tokens: number }, prompt: PromptContent): QuoteResult {
  let inputTokens = INPUT_TOKEN_ESTIMATE.per_request + prompt.messages * INPUT_TOKEN_ESTIMATE.per_message
  for (const text of prompt.texts) inputTokens += estimateTextTokens(text)
  for (const value of prompt.json) inputTokens += estimateTextTokens(canonical(value))
  inputTokens += prompt.images.length * LARGEST_IMAGE_TOKENS
  return quoteText(request.model as TextModel, { inputTokens, maxTokens: request.max_tokens })
}
