import Type, { type Static } from 'typebox'
import {
  DEFAULT_MAX_TOKENS,
  MAX_ID_LENGTH,
  MAX_MESSAGES,
  MAX_PARTS,
  MAX_SIGNATURE_LENGTH,
  MAX_TOKENS_LIMIT,
  MAX_TOOLS,
} from './chat-completions.ts'
import type { JsonObject } from './effective-json.ts'
import { nullable, object, STOP_LIMITS, STRING, unlessOther, when } from './effective-schema.ts'

export const MIN_THINKING_BUDGET_TOKENS = 1_024

type More = { [field: string]: unknown }
export type RawTextBlock = { type: 'text'; text: string } & More
export type RawImageSource =
  | { type: 'base64'; media_type: string; data: string }
  | { type: 'url'; url: string }
  | { type: 'file' }
export type RawImageBlock = { type: 'image'; source: RawImageSource } & More
export type RawToolUseBlock = {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  thought_signature?: string | null
} & More
export type RawToolResultBlock = {
  type: 'tool_result'
  tool_use_id: string
  is_error?: boolean | null
  content?: string | RawBlock[] | null
} & More
/** `type` may be any other string: such a block is refused by name. */
export type RawBlock = RawTextBlock | RawImageBlock | RawToolUseBlock | RawToolResultBlock
export type RawMessage = { role: 'user' | 'assistant'; content: string | RawBlock[] } & More
export type RawMessagesTool = { type?: string | null; name: string; description?: string | null; input_schema: JsonObject } & More
export type RawMessagesToolChoice = { type: 'auto' | 'any' | 'tool' | 'none'; name: string; disable_parallel_tool_use?: boolean }
export type RawThinking = { type: 'enabled' | 'disabled' | 'adaptive'; budget_tokens: number; display?: string | null }

const ID = { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH }

// Conditions instead of a union: a wrong block is then named by its own path, not by every branch that it failed.
const TEXT = when('type', 'text', object({ text: STRING }))
const IMAGE = when(
  'type',
  'image',
  object({
    source: object(
      { type: { type: 'string', enum: ['base64', 'url', 'file'] } },
      {},
      {
        allOf: [
          when('type', 'base64', object({ media_type: STRING, data: STRING })),
          when('type', 'url', object({ url: STRING })),
        ],
      },
    ),
  }),
)
const INNER_BLOCK = object({ type: STRING }, {}, { allOf: [TEXT, IMAGE] })
const BLOCK = object(
  { type: STRING },
  {},
  {
    allOf: [
      TEXT,
      IMAGE,
      when(
        'type',
        'tool_use',
        object(
          { id: ID, name: STRING, input: { type: 'object' } },
          { thought_signature: nullable('string', { maxLength: MAX_SIGNATURE_LENGTH }) },
        ),
      ),
      when(
        'type',
        'tool_result',
        object(
          { tool_use_id: ID },
          {
            is_error: nullable('boolean'),
            content: { type: ['string', 'array', 'null'], maxItems: MAX_PARTS, items: INNER_BLOCK },
          },
        ),
      ),
    ],
  },
)
const MESSAGE = object({
  role: { type: 'string', enum: ['user', 'assistant'] },
  content: { type: ['string', 'array'], minItems: 1, maxItems: MAX_PARTS, items: BLOCK },
})
const SYSTEM = {
  type: ['string', 'array'],
  maxItems: MAX_PARTS,
  items: object({ type: { type: 'string', const: 'text' }, text: STRING }),
}
// Anthropic's own tools have other members; they are refused by their type.
const TOOL = object(
  {},
  { type: nullable('string') },
  {
    allOf: [
      unlessOther(
        'type',
        ['custom', null],
        object({ name: STRING, input_schema: { type: 'object' } }, { description: nullable('string') }),
      ),
    ],
  },
)
const TOOL_CHOICE = object(
  { type: { type: 'string', enum: ['auto', 'any', 'tool', 'none'] } },
  { disable_parallel_tool_use: { type: 'boolean' } },
  { allOf: [when('type', 'tool', object({ name: STRING }))] },
)
const THINKING = object(
  { type: { type: 'string', enum: ['enabled', 'disabled', 'adaptive'] } },
  { display: nullable('string') },
  {
    allOf: [when('type', 'enabled', object({ budget_tokens: { type: 'integer', minimum: MIN_THINKING_BUDGET_TOKENS } }))],
  },
)

const optional = <T>(schema: { [keyword: string]: unknown }) => Type.Optional(Type.Unsafe<T>(schema))

/**
 * POST /v1/messages. Optional fields that are null were taken out before. What goes beyond the shape is in messages-rules.ts, what
 * each field does in messages-fields.ts.
 */
export const MessagesRequest = Type.Object({
  model: Type.String(),
  messages: Type.Unsafe<RawMessage[]>({ type: 'array', minItems: 1, maxItems: MAX_MESSAGES, items: MESSAGE }),
  max_tokens: Type.Integer({ minimum: 1, maximum: MAX_TOKENS_LIMIT, default: DEFAULT_MAX_TOKENS }),
  stream: Type.Optional(Type.Literal(false, { default: false })),
  system: optional<string | RawTextBlock[]>(SYSTEM),
  tools: optional<RawMessagesTool[]>({ type: 'array', maxItems: MAX_TOOLS, items: TOOL }),
  tool_choice: optional<RawMessagesToolChoice>(TOOL_CHOICE),
  stop_sequences: optional<string[]>({
    type: 'array',
    maxItems: STOP_LIMITS.maxItems,
    items: { type: 'string', minLength: 1, maxLength: STOP_LIMITS.maxLength },
  }),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  thinking: optional<RawThinking>(THINKING),
  raw_output: Type.Optional(Type.Boolean()),
})
export type MessagesRequest = Static<typeof MessagesRequest>
