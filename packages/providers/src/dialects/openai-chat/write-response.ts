import { type StopReason, type TextCompletion, type TokenUsage, textOf } from '../../text/text-completion.ts'
import type { ToolCallPart } from '../../text/text-request.ts'

const FINISH_REASON: Record<StopReason, 'stop' | 'length' | 'tool_calls' | 'content_filter'> = {
  finished: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  filtered: 'content_filter',
}

/** What the service itself says about an answer: its own id, the seconds since the epoch, and the alias that the client sent. */
export type ChatIdentity = { id: string; created: number; model: string }

/** The chat.completion object as it is sent. */
export function writeChatCompletion(completion: TextCompletion, identity: ChatIdentity): Record<string, unknown> {
  const toolCalls = completion.parts.flatMap((part) => (part.type === 'tool_call' ? [toolCall(part)] : []))
  return {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
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
  }
}

function toolCall(part: ToolCallPart): Record<string, unknown> {
  return {
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: JSON.stringify(part.arguments) },
    ...(part.signature === undefined ? {} : { extra_content: { google: { thought_signature: part.signature } } }),
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
