import { type StopReason, type TextCompletion, type TokenUsage, textOf } from '../../text/text-completion.ts'
import type { AnswerIdentity } from '../answer-identity.ts'
import { writeChatToolCall } from './tool-calls.ts'

const FINISH_REASON: Record<StopReason, 'stop' | 'length' | 'tool_calls' | 'content_filter'> = {
  finished: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  filtered: 'content_filter',
}

/** The chat.completion object as it is sent. */
export function writeChatCompletion(
  completion: TextCompletion,
  identity: AnswerIdentity,
  options: { rawOutput: boolean } = { rawOutput: false },
): Record<string, unknown> {
  const toolCalls = completion.parts.flatMap((part) =>
    part.type === 'tool_call' ? [writeChatToolCall(part, () => `call_${identity.newId()}`)] : [],
  )
  return {
    id: `chatcmpl-${identity.newId()}`,
    object: 'chat.completion',
    created: identity.createdS,
    model: identity.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf(completion),
          refusal: null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: FINISH_REASON[completion.stop],
      },
    ],
    usage: chatUsage(completion.usage),
    ...(options.rawOutput ? { provider_output: { parts: completion.providerParts } } : {}),
  }
}

function chatUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
