import type { Extra, JsonObject } from './effective-json.ts'

export type ChatTextPart = { type: 'text'; text: string } & Extra
/** A `data:` URL whose bytes were inspected, or an `https:` URL that the worker fetches. */
export type ChatImagePart = { type: 'image_url'; image_url: { url: string } & Extra } & Extra
export type ChatToolCall = {
  id: string
  type: 'function'
  /** `arguments` is the JSON text of an object. */
  function: { name: string; arguments: string } & Extra
  extra_content?: { google?: { thought_signature?: string } }
} & Extra

export type EffectiveChatMessage =
  | ({ role: 'system' | 'developer'; content: string | ChatTextPart[] } & Extra)
  | ({ role: 'user'; content: string | (ChatTextPart | ChatImagePart)[] } & Extra)
  /** `content` is null only beside tool calls. */
  | ({ role: 'assistant'; content: string | ChatTextPart[] | null; tool_calls?: ChatToolCall[] } & Extra)
  | ({ role: 'tool'; tool_call_id: string; content: string | ChatTextPart[] } & Extra)

export type ChatTool = {
  type: 'function'
  function: { name: string; description?: string; parameters?: JsonObject; strict?: boolean }
}
export type ChatToolChoice = 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } }
export type ChatResponseFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; json_schema: { name: string; description?: string; schema?: JsonObject; strict?: boolean } }

/** The effective request: defaults filled in, spelled one way, everything allowed kept (it takes part in the fingerprint). */
export type EffectiveChatRequest = {
  model: string
  messages: EffectiveChatMessage[]
  max_tokens: number
  stream: false
  temperature?: number
  top_p?: number
  seed?: number
  stop?: string[]
  /** Never empty. */
  tools?: ChatTool[]
  tool_choice?: ChatToolChoice
  /** At most one call is given back. */
  parallel_tool_calls?: false
  response_format?: ChatResponseFormat
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  raw_output?: true
} & Extra
