import Type, { type Static, type TUnsafe } from 'typebox'

export const DEFAULT_MAX_TOKENS = 512
export const MAX_TOKENS_LIMIT = 65_536
export const MAX_MESSAGES = 10_000
export const MAX_PARTS = 10_000

const ChatContentPart = Type.Object({ type: Type.Enum(['text', 'image_url', 'refusal']) })

/** One schema with several types instead of a union: a wrong part is then named by its own path, not by every branch it failed. */
const ChatContent: TUnsafe<string | { type: string; [field: string]: unknown }[] | null> = Type.Unsafe({
  type: ['string', 'array', 'null'],
  maxItems: MAX_PARTS,
  items: ChatContentPart,
})

const ChatMessage = Type.Object({ role: Type.String(), content: ChatContent })

/** POST /v1/chat/completions as the interface states it. What goes beyond the shape is in chat-completions-rules.ts. */
export const ChatCompletionRequest = Type.Object({
  model: Type.String(),
  messages: Type.Array(ChatMessage, { minItems: 1, maxItems: MAX_MESSAGES }),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKENS_LIMIT, default: DEFAULT_MAX_TOKENS })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKENS_LIMIT })),
  stream: Type.Optional(Type.Literal(false, { default: false })),
  tools: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 512 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  seed: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
  n: Type.Optional(Type.Literal(1)),
  stop: Type.Optional(
    Type.Unsafe<string | string[] | null>({
      type: ['string', 'array', 'null'],
      minLength: 1,
      minItems: 1,
      maxItems: 5,
      items: { type: 'string', minLength: 1 },
    }),
  ),
})
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>
