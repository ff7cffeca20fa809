import Type, { type Static } from 'typebox'
import type { JsonObject } from './effective-json.ts'
import { nullable, object, STOP_LIMITS, STRING, unless, when } from './effective-schema.ts'

export const DEFAULT_MAX_TOKENS = 512
export const MAX_TOKENS_LIMIT = 65_536
export const MAX_MESSAGES = 10_000
export const MAX_PARTS = 10_000
export const MAX_TOOLS = 512
export const MAX_CALLS_PER_MESSAGE = 512
export const MAX_ID_LENGTH = 256
/** Of one call: more than the context of any model holds. */
export const MAX_ARGUMENTS_LENGTH = 4_194_304
/** Base64 of the thoughts of the longest answer, and then some. */
export const MAX_SIGNATURE_LENGTH = 1_048_576

export type RawChatPart =
  | { type: 'text'; text: string; [field: string]: unknown }
  | { type: 'refusal'; refusal: string; [field: string]: unknown }
  | { type: 'image_url'; image_url: { url: string; [field: string]: unknown }; [field: string]: unknown }
export type RawToolCall = {
  id: string
  type: string
  function: { name: string; arguments: string; [field: string]: unknown }
  extra_content?: { google?: { thought_signature?: string | null } | null } | null
  [field: string]: unknown
}
export type RawChatMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content?: string | RawChatPart[] | null
  tool_calls?: RawToolCall[] | null
  tool_call_id?: string | null
  [field: string]: unknown
}
export type RawChatTool = {
  type: string
  function: { name: string; description?: string | null; parameters?: JsonObject | null; strict?: boolean | null }
}
export type RawToolChoice = string | { type: string; function: { name: string } }
export type RawResponseFormat = {
  type: string
  json_schema: { name: string; description?: string | null; schema?: JsonObject | null; strict?: boolean | null }
}

const NAMED = object({ name: STRING })
const ID = { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH }

// Conditions instead of a union: a wrong part is then named by its own path, not by every branch that it failed.
const PART = object(
  { type: { type: 'string', enum: ['text', 'image_url', 'refusal'] } },
  {},
  {
    allOf: [
      when('type', 'text', object({ text: STRING })),
      when('type', 'refusal', object({ refusal: STRING })),
      when('type', 'image_url', object({ image_url: object({ url: STRING }, { detail: nullable('string') }) })),
    ],
  },
)

const TOOL_CALL = object(
  { id: ID, type: STRING },
  {
    extra_content: nullable('object', {
      properties: {
        google: nullable('object', {
          properties: { thought_signature: nullable('string', { maxLength: MAX_SIGNATURE_LENGTH }) },
        }),
      },
    }),
  },
  {
    allOf: [
      when(
        'type',
        'function',
        object({ function: object({ name: STRING, arguments: { type: 'string', maxLength: MAX_ARGUMENTS_LENGTH } }) }),
      ),
    ],
  },
)

// Whoever calls tools need not say anything: clients that leave out what is null send such a message back without `content`.
const CALLS_TOOLS = object({
  role: { type: 'string', const: 'assistant' },
  tool_calls: { type: 'array', minItems: 1 },
})
const MESSAGE = object(
  { role: { type: 'string', enum: ['system', 'developer', 'user', 'assistant', 'tool'] } },
  {
    content: { type: ['string', 'array', 'null'], maxItems: MAX_PARTS, items: PART },
    tool_calls: nullable('array', { maxItems: MAX_CALLS_PER_MESSAGE, items: TOOL_CALL }),
  },
  {
    allOf: [when('role', 'tool', object({ tool_call_id: ID })), unless('role', CALLS_TOOLS, object({ content: {} }))],
  },
)

const TOOL = object(
  { type: STRING },
  {},
  {
    allOf: [
      when(
        'type',
        'function',
        object({
          function: object(
            { name: STRING },
            { description: nullable('string'), parameters: nullable('object'), strict: nullable('boolean') },
          ),
        }),
      ),
    ],
  },
)

const TOOL_CHOICE = {
  ...object({ type: STRING }, {}, { allOf: [when('type', 'function', object({ function: NAMED }))] }),
  type: ['string', 'object'],
}

const RESPONSE_FORMAT = object(
  { type: STRING },
  {},
  {
    allOf: [
      when(
        'type',
        'json_schema',
        object({
          json_schema: object(
            { name: STRING },
            { description: nullable('string'), schema: nullable('object'), strict: nullable('boolean') },
          ),
        }),
      ),
    ],
  },
)

const optional = <T>(schema: { [keyword: string]: unknown }) => Type.Optional(Type.Unsafe<T>(schema))

/**
 * POST /v1/chat/completions. Optional fields that are null were taken out before. What goes beyond the shape is in
 * chat-completions-rules.ts, what each field does in chat-fields.ts.
 */
export const ChatCompletionRequest = Type.Object({
  model: Type.String(),
  messages: Type.Unsafe<RawChatMessage[]>({ type: 'array', minItems: 1, maxItems: MAX_MESSAGES, items: MESSAGE }),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKENS_LIMIT, default: DEFAULT_MAX_TOKENS })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKENS_LIMIT })),
  stream: Type.Optional(Type.Literal(false, { default: false })),
  tools: optional<RawChatTool[]>({ type: 'array', maxItems: MAX_TOOLS, items: TOOL }),
  tool_choice: optional<RawToolChoice>(TOOL_CHOICE),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  response_format: optional<RawResponseFormat>(RESPONSE_FORMAT),
  reasoning_effort: Type.Optional(Type.Enum(['none', 'minimal', 'low', 'medium', 'high'])),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  seed: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
  n: Type.Optional(Type.Literal(1)),
  stop: optional<string | string[]>({
    type: ['string', 'array'],
    minLength: 1,
    maxLength: STOP_LIMITS.maxLength,
    minItems: 1,
    maxItems: STOP_LIMITS.maxItems,
    items: { type: 'string', minLength: 1, maxLength: STOP_LIMITS.maxLength },
  }),
  raw_output: Type.Optional(Type.Boolean()),
})
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>
