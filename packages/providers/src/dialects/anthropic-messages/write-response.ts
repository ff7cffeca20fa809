import type { CompletionPart, StopReason, TextCompletion, TokenUsage } from '../../text/text-completion.ts'
import type { AnswerIdentity } from '../answer-identity.ts'

/** The upstream does not say that it met a stop sequence, nor which: that too is the end of a turn. */
const STOP_REASON: Record<StopReason, 'end_turn' | 'max_tokens' | 'tool_use' | 'refusal'> = {
  finished: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  filtered: 'refusal',
}

/** The message object as it is sent. */
export function writeMessage(
  completion: TextCompletion,
  identity: Omit<AnswerIdentity, 'createdS'>,
  options: { rawOutput: boolean } = { rawOutput: false },
): Record<string, unknown> {
  return {
    id: `msg_${identity.newId()}`,
    type: 'message',
    role: 'assistant',
    model: identity.model,
    content: writeContent(completion.parts, () => `toolu_${identity.newId()}`),
    stop_reason: STOP_REASON[completion.stop],
    stop_sequence: null,
    usage: messagesUsage(completion.usage),
    ...(options.rawOutput ? { provider_output: { parts: completion.providerParts } } : {}),
  }
}

/** Text that was cut into parts on its way is one block; calls keep their place. */
function writeContent(parts: readonly CompletionPart[], newId: () => string): Record<string, unknown>[] {
  const blocks: Record<string, unknown>[] = []
  let text: { type: 'text'; text: string; citations: null } | undefined
  for (const part of parts) {
    if (part.type === 'text') {
      if (part.text === '') continue
      if (text === undefined) {
        text = { type: 'text', text: '', citations: null }
        blocks.push(text)
      }
      text.text += part.text
    } else {
      text = undefined
      const { id, name, arguments: input, signature } = part
      blocks.push({
        type: 'tool_use',
        id: id ?? newId(),
        name,
        input,
        ...(signature === undefined ? {} : { thought_signature: signature }),
      })
    }
  }
  return blocks
}

/** Cached tokens are counted apart from the others here; nothing is ever written to a cache. */
function messagesUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
  }
}
