// The one shape between dialects and upstreams: a dialect writes it, an upstream reads it, and neither knows the other.

/** An image is bytes by the time it gets here: whoever builds the request has fetched and checked what a client gave by URL. */
export type ImagePart = { type: 'image'; mimeType: string; base64: string }
export type TextPart = { type: 'text'; text: string }
/** `signature` is the upstream's opaque proof of its own thought (base64); some models refuse a call in history without it. */
export type ToolCallPart = {
  type: 'tool_call'
  id: string
  name: string
  arguments: Record<string, unknown>
  signature?: string
}
/** `name` is that of the tool whose call it answers. */
export type ToolResultPart = {
  type: 'tool_result'
  callId: string
  name: string
  text: string
  isError: boolean
  images: ImagePart[]
}

export type UserPart = TextPart | ImagePart | ToolResultPart
export type AssistantPart = TextPart | ToolCallPart
export type Turn = { role: 'user'; parts: UserPart[] } | { role: 'assistant'; parts: AssistantPart[] }

export type JsonSchema = { [keyword: string]: unknown }
export type ToolDeclaration = { name: string; description?: string; parameters?: JsonSchema }
export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | { mode: 'named'; name: string }

export type OutputFormat = { format: 'text' } | { format: 'json' } | { format: 'json_schema'; schema: JsonSchema }

export type Sampling = { temperature?: number; topP?: number; topK?: number; seed?: number }

/** `minimum` is off where the model can be silent about its thoughts, else the least that it takes. */
export type Thinking =
  | { kind: 'minimum' }
  | { kind: 'effort'; effort: 'none' | 'minimal' | 'low' | 'medium' | 'high' }
  | { kind: 'budget'; tokens: number }
  | { kind: 'adaptive' }

export type TextRequest = {
  /** In the order given; never empty strings. */
  system: string[]
  /** Roles alternate, no turn and no part is empty, all results of a step follow it in the order of its calls (see `joinTurns`). */
  turns: Turn[]
  tools: ToolDeclaration[]
  toolChoice: ToolChoice
  /** The client takes one call at a time. No upstream can be told: what it made beyond the first is not given back. */
  onlyFirstCall: boolean
  output: OutputFormat
  /** The ceiling that the client paid for: thinking and visible output together. */
  maxOutputTokens: number
  sampling: Sampling
  stopSequences: string[]
  thinking: Thinking
}
