/** What becomes of a field: the model gets it, it says nothing to a model and is accepted, or a request with it is refused. */
export type FieldRule = { does: 'translated' | 'harmless' | 'refused'; note: string }

/** Every field of POST /v1/chat/completions that OpenAI defines, and `raw_output`. The page docs/text-endpoints.md shows this table. */
export const CHAT_FIELDS = {
  model: { does: 'translated', note: 'One of the text models of `GET /v1/models`; any other is 400 `model_not_available`.' },
  messages: { does: 'translated', note: 'See the table of messages.' },
  max_tokens: { does: 'translated', note: 'The ceiling that the price is computed from; 512 when neither name is given.' },
  max_completion_tokens: { does: 'translated', note: 'The same ceiling. Both names with different values are refused.' },
  stream: { does: 'translated', note: 'Only `false`: an answer is released in one piece, after its payment.' },
  temperature: { does: 'translated', note: '0 to 2.' },
  top_p: { does: 'translated', note: '0 to 1.' },
  seed: { does: 'translated', note: 'A 32-bit integer.' },
  stop: { does: 'translated', note: 'A string or a list of up to 5, each of 1 to 1000 characters.' },
  tools: {
    does: 'translated',
    note: 'Up to 512 functions with different names; `custom` tools are refused. `strict` is accepted: calls follow the schema as well as the model can. An empty list is none.',
  },
  tool_choice: {
    does: 'translated',
    note: '`none`, `auto`, `required`, or one function by name. `allowed_tools` and `custom` are refused. `required` and a name need `tools`.',
  },
  parallel_tool_calls: { does: 'translated', note: '`false` gives back at most one call; `true` is the default.' },
  response_format: {
    does: 'translated',
    note: '`text`, `json_object` or `json_schema`. The gm-2.5 models take no JSON format together with `tools`: refused.',
  },
  reasoning_effort: {
    does: 'translated',
    note: '`none` to `high`; absent is the least that the model can. gm-2.5-pro cannot do without: `none` is refused there.',
  },
  raw_output: {
    does: 'translated',
    note: 'An addition of this service: `true` adds `provider_output`, the parts of the answer with their thought signatures.',
  },
  n: { does: 'harmless', note: 'Only 1.' },
  presence_penalty: { does: 'harmless', note: 'Only 0.' },
  frequency_penalty: { does: 'harmless', note: 'Only 0.' },
  logprobs: { does: 'harmless', note: 'Only `false`.' },
  modalities: { does: 'harmless', note: 'Only `["text"]`.' },
  verbosity: { does: 'harmless', note: 'Only `medium`, the default.' },
  user: { does: 'harmless', note: 'Not forwarded.' },
  safety_identifier: { does: 'harmless', note: 'Not forwarded.' },
  metadata: { does: 'harmless', note: 'Not forwarded and not kept.' },
  store: { does: 'harmless', note: 'Not forwarded; nothing is stored beyond the replay of the result.' },
  service_tier: { does: 'harmless', note: 'Not forwarded: there is one tier.' },
  prompt_cache_key: { does: 'harmless', note: 'Not forwarded: the price is fixed before anything is cached.' },
  prompt_cache_options: { does: 'harmless', note: 'Not forwarded, as above.' },
  prompt_cache_retention: { does: 'harmless', note: 'Not forwarded, as above.' },
  audio: { does: 'refused', note: 'Answers are text.' },
  functions: { does: 'refused', note: 'The older spelling of `tools`; send those.' },
  function_call: { does: 'refused', note: 'The older spelling of `tool_choice`; send that.' },
  logit_bias: { does: 'refused', note: 'The models take no such bias.' },
  top_logprobs: { does: 'refused', note: 'Probabilities are not given.' },
  prediction: { does: 'refused', note: 'The models take no prediction.' },
  web_search_options: { does: 'refused', note: 'Nothing is searched.' },
  moderation: { does: 'refused', note: 'A policy is the operator’s, not a request’s.' },
  stream_options: { does: 'refused', note: 'Nothing is streamed.' },
} as const satisfies Record<string, FieldRule>

/** What a message may hold. */
export const CHAT_MESSAGE_FIELDS = {
  role: {
    does: 'translated',
    note: '`system` and `developer` become the system instruction wherever they stand, in order; `user`, `assistant`, `tool`. Neighbours of one role are joined.',
  },
  content: {
    does: 'translated',
    note: 'A string, or parts of type `text`, `image_url` (user messages only) or `refusal` (taken for the text it is). `null`, or nothing, only beside `tool_calls`.',
  },
  'content[].image_url.url': {
    does: 'translated',
    note: 'A `data:` URL of PNG, JPEG or WebP in plain Base64, checked by its bytes: up to 16384 pixels a side and 64 million in all; or an `https:` URL that is fetched after payment. Up to 100 images, 20 of them by URL.',
  },
  'content[].image_url.detail': { does: 'harmless', note: 'Every image is read, and priced, by its size.' },
  tool_calls: {
    does: 'translated',
    note: 'Functions with `arguments` that are a JSON object. Each call is answered by one `tool` message before anybody else speaks.',
  },
  'tool_calls[].extra_content.google.thought_signature': {
    does: 'translated',
    note: 'As it came with the call. It counts as text in the price.',
  },
  tool_call_id: { does: 'translated', note: 'Of `tool` messages: the id of a call of the step before.' },
  name: { does: 'harmless', note: 'Not shown to the model.' },
  annotations: { does: 'harmless', note: 'Not shown to the model.' },
  refusal: { does: 'refused', note: 'Other than `null`: send it as a part of type `refusal`.' },
  function_call: { does: 'refused', note: 'The older spelling of `tool_calls`; send those.' },
  audio: { does: 'refused', note: 'Answers are text.' },
} as const satisfies Record<string, FieldRule>
