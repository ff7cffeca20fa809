import type { FieldRule } from './chat-fields.ts'

/** Every field of POST /v1/messages that Anthropic defines, and `raw_output`. The page docs/text-endpoints.md shows this table. */
export const MESSAGES_FIELDS = {
  model: { does: 'translated', note: 'One of the text models of `GET /v1/models`; any other is 400 `model_not_available`.' },
  messages: { does: 'translated', note: 'See the table of messages.' },
  max_tokens: { does: 'translated', note: 'Required: the ceiling that the price is computed from.' },
  stream: { does: 'translated', note: 'Only `false`: an answer is released in one piece, after its payment.' },
  system: { does: 'translated', note: 'A string or blocks of type `text`.' },
  temperature: { does: 'translated', note: '0 to 1.' },
  top_p: { does: 'translated', note: '0 to 1.' },
  top_k: { does: 'translated', note: 'From 1.' },
  stop_sequences: { does: 'translated', note: 'Up to 5, each of 1 to 1000 characters.' },
  tools: {
    does: 'translated',
    note: 'Up to 512 with different names, a `description` and an `input_schema`. Anthropic’s own tools (a `type` other than `custom`, such as `web_search_20250305`) are refused. `strict`, `cache_control` and `eager_input_streaming` are accepted without effect; `input_examples`, `defer_loading` and callers other than `direct` are refused.',
  },
  tool_choice: {
    does: 'translated',
    note: '`auto`, `any`, `tool` by name, `none`. `disable_parallel_tool_use` gives back at most one call. `any` and a name need `tools`.',
  },
  thinking: {
    does: 'translated',
    note: '`enabled` with a `budget_tokens` from 1024 and below `max_tokens`, `adaptive`, or `disabled`, which is the default: off, or the least that the model can. Thoughts are not shown: `display: "summarized"` is refused.',
  },
  raw_output: {
    does: 'translated',
    note: 'An addition of this service: `true` adds `provider_output`, the parts of the answer with their thought signatures.',
  },
  metadata: { does: 'harmless', note: 'Not forwarded and not kept.' },
  service_tier: { does: 'harmless', note: 'Not forwarded: there is one tier.' },
  speed: { does: 'harmless', note: 'Only `standard`.' },
  cache_control: { does: 'harmless', note: 'Left out, here and on every block: the price is fixed before anything is cached.' },
  user_profile_id: { does: 'harmless', note: 'Not forwarded.' },
  workspace_id: { does: 'harmless', note: 'Not forwarded.' },
  output_config: { does: 'refused', note: 'Set the effort with `thinking`; get structured output from a tool.' },
  output_format: { does: 'refused', note: 'Get structured output from a tool.' },
  container: { does: 'refused', note: 'Nothing is executed here.' },
  mcp_servers: { does: 'refused', note: 'Nothing is connected from here.' },
  context_management: { does: 'refused', note: 'The conversation is sent as it is.' },
  inference_geo: { does: 'refused', note: 'Where a model runs cannot be chosen.' },
  diagnostics: { does: 'refused', note: 'There is none to give.' },
} as const satisfies Record<string, FieldRule>

/** What a message may hold. */
export const MESSAGES_BLOCK_FIELDS = {
  role: { does: 'translated', note: '`user` or `assistant`. Neighbours of one role are joined.' },
  content: { does: 'translated', note: 'A string, or blocks of type `text`, `image`, `tool_use` or `tool_result`.' },
  'image.source': {
    does: 'translated',
    note: '`base64` of PNG, JPEG or WebP, checked by its bytes: up to 16384 pixels a side and 64 million in all; or an `https:` URL that is fetched after payment. Up to 100 images, 20 of them by URL, in user messages and tool results. `file` is refused.',
  },
  'tool_use.input': { does: 'translated', note: 'A JSON object, up to 64 levels deep. Only in assistant messages.' },
  'tool_use.thought_signature': {
    does: 'translated',
    note: 'An addition of this service, as it came with the block. It counts as text in the price.',
  },
  tool_result: {
    does: 'translated',
    note: 'In the user message after its `tool_use`, one for each; a string, or `text` and `image` blocks; `is_error`.',
  },
  cache_control: { does: 'harmless', note: 'Left out.' },
  citations: { does: 'harmless', note: 'Left out: there are no documents to cite.' },
  caller: { does: 'harmless', note: 'Only `direct`.' },
  toolset_name: { does: 'refused', note: 'Other than `null`: there are no toolsets.' },
  transformations: { does: 'refused', note: 'Every image is read, and priced, by its size.' },
  thinking: { does: 'refused', note: 'Also `redacted_thinking`: thoughts travel as `thought_signature`.' },
  document: { does: 'refused', note: 'Also `search_result` and every other block.' },
} as const satisfies Record<string, FieldRule>
