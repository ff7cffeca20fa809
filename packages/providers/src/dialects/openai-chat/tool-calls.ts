import type { ChatToolCall } from '@turnpike/contracts'
import type { CompletedToolCall } from '../../text/text-completion.ts'
import type { ToolCallPart } from '../../text/text-request.ts'

// A thought signature has no member in this dialect; it travels where the vendor's own compatibility layer puts it.

export function readChatToolCall(call: ChatToolCall): ToolCallPart {
  const signature = call.extra_content?.google?.thought_signature
  return {
    type: 'tool_call',
    id: call.id,
    name: call.function.name,
    // The text of an object: the gateway has read it.
    arguments: JSON.parse(call.function.arguments) as Record<string, unknown>,
    ...(signature === undefined ? {} : { signature }),
  }
}

export function writeChatToolCall(call: CompletedToolCall, newId: () => string): Record<string, unknown> {
  return {
    id: call.id ?? newId(),
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    ...(call.signature === undefined ? {} : { extra_content: { google: { thought_signature: call.signature } } }),
  }
}
