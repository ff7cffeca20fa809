import type { Extra, JsonObject } from './effective-json.ts'

export type MessagesTextBlock = { type: 'text'; text: string } & Extra
/** Base64 whose bytes were inspected, or an `https:` URL that the worker fetches. */
export type MessagesImageBlock = {
  type: 'image'
  source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string }
} & Extra
export type MessagesToolUseBlock = {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  thought_signature?: string
} & Extra
export type MessagesToolResultBlock = {
  type: 'tool_result'
  tool_use_id: string
  is_error?: boolean
  content?: string | (MessagesTextBlock | MessagesImageBlock)[]
} & Extra
export type MessagesBlock = MessagesTextBlock | MessagesImageBlock | MessagesToolUseBlock | MessagesToolResultBlock
export type EffectiveMessage = { role: 'user' | 'assistant'; content: string | MessagesBlock[] }

export type MessagesTool = { name: string; description?: string; input_schema: JsonObject }
export type MessagesToolChoice =
  | { type: 'auto' | 'any' | 'none'; disable_parallel_tool_use?: true }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: true }

/** The effective request: defaults left out or filled in, spelled one way, everything allowed kept. */
export type EffectiveMessagesRequest = {
  model: string
  max_tokens: number
  stream: false
  system?: string | MessagesTextBlock[]
  messages: EffectiveMessage[]
  temperature?: number
  top_p?: number
  top_k?: number
  stop_sequences?: string[]
  /** Never empty. */
  tools?: MessagesTool[]
  tool_choice?: MessagesToolChoice
  /** Absent is disabled. */
  thinking?: { type: 'enabled'; budget_tokens: number } | { type: 'adaptive' }
  raw_output?: true
} & Extra
