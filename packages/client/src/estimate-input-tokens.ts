import {
  canonical,
  invalid,
  type Parsed,
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
  return endpoint === '/v1/chat/completions'
    ? estimateOf(parseChatCompletion(body), promptOfChat)
    : estimateOf(parseMessages(body), promptOfMessages)
}

function estimateOf<Request>(parsed: Parsed<Request>, promptOf: (request: Request) => PromptContent): RequestEstimate {
  if (!parsed.ok) return parsed
  try {
    canonical(parsed.value)
  } catch {
    return invalid('body', 'The body holds text or numbers that JSON cannot hold.')
  }
  return { ok: true, inputTokens: estimateInputTokens(promptOf(parsed.value)) }
}
