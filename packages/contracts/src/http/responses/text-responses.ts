import Type from 'typebox'
import { TEXT_MODELS } from '../../models.ts'

const Count = Type.Integer({ minimum: 0 })
const Model = Type.Enum([...TEXT_MODELS], { description: 'The alias that the request named.' })
const Signature = Type.String({
  description: "The upstream's proof of its own thought: send it back with the call it came with.",
})
/** Only where the request said `raw_output: true`. */
const ProviderOutput = Type.Optional(
  Type.Unknown({ description: "The upstream's own parts with their thought signatures; present when raw_output is true." }),
)

const ChatToolCall = Type.Object({
  id: Type.String(),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'JSON text of an object.' }) }),
  extra_content: Type.Optional(Type.Object({ google: Type.Object({ thought_signature: Signature }) })),
})

/** POST /v1/chat/completions, in OpenAI's shape. */
export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  model: Model,
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: Type.Union([Type.String(), Type.Null()]),
        refusal: Type.Union([Type.String(), Type.Null()]),
        tool_calls: Type.Optional(Type.Array(ChatToolCall)),
      }),
      logprobs: Type.Null(),
      finish_reason: Type.Enum(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  usage: Type.Object({
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Type.Object({ cached_tokens: Count }),
    completion_tokens_details: Type.Object({ reasoning_tokens: Count }),
  }),
  provider_output: ProviderOutput,
})

const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String() })
const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String(),
  name: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
  thought_signature: Type.Optional(Signature),
})

/** POST /v1/messages, in Anthropic's shape. */
export const Message = Type.Object({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Model,
  content: Type.Array(Type.Union([TextBlock, ToolUseBlock])),
  stop_reason: Type.Enum(['end_turn', 'max_tokens', 'tool_use', 'refusal']),
  stop_sequence: Type.Null(),
  usage: Type.Object({
    input_tokens: Count,
    output_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_read_input_tokens: Count,
  }),
  provider_output: ProviderOutput,
})
