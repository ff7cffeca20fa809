import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { parseChatCompletion } from './chat-completions-rules.ts'
import { CHAT_FIELDS, CHAT_MESSAGE_FIELDS, type FieldRule } from './chat-fields.ts'
import { MESSAGES_BLOCK_FIELDS, MESSAGES_FIELDS } from './messages-fields.ts'
import { parseMessages } from './messages-rules.ts'
import { promptOfChat, promptOfMessages } from './prompt-content.ts'
import type { Parsed } from './request-problem.ts'

type ChatField = keyof OpenAI.ChatCompletionCreateParams
type MessagesField = keyof Anthropic.MessageCreateParams
type Samples<Field extends string> = Record<Field, unknown>

const messages = [{ role: 'user', content: 'Hi' }]
const chatTools = [{ type: 'function', function: { name: 'tide' } }]
const tools = [{ name: 'tide', input_schema: { type: 'object' } }]

/** A value of every field, other than its default; the type holds every field that the official client knows. */
const CHAT_SAMPLES: Samples<ChatField | keyof typeof CHAT_FIELDS> = {
  model: 'gm-3.5-flash',
  messages: [{ role: 'user', content: 'Ho' }],
  max_tokens: 7,
  max_completion_tokens: 8,
  stream: false,
  temperature: 0.5,
  top_p: 0.5,
  seed: 5,
  stop: ['x'],
  tools: [{ type: 'function', function: { name: 'moon' } }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  response_format: { type: 'json_object' },
  reasoning_effort: 'high',
  raw_output: true,
  n: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  modalities: ['text'],
  verbosity: 'medium',
  user: 'u',
  safety_identifier: 's',
  metadata: { a: 'b' },
  store: true,
  service_tier: 'flex',
  prompt_cache_key: 'k',
  prompt_cache_options: {},
  prompt_cache_retention: '24h',
  audio: { voice: 'x', format: 'mp3' },
  functions: [],
  function_call: 'auto',
  logit_bias: { 1: 1 },
  top_logprobs: 1,
  prediction: { type: 'content', content: 'x' },
  web_search_options: {},
  moderation: {},
  stream_options: {},
}

const MESSAGES_SAMPLES: Samples<MessagesField | keyof typeof MESSAGES_FIELDS> = {
  model: 'gm-3.5-flash',
  messages: [{ role: 'user', content: 'Ho' }],
  max_tokens: 7,
  stream: false,
  system: 'Be brief.',
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  stop_sequences: ['x'],
  tools: [{ name: 'moon', input_schema: { type: 'object' } }],
  tool_choice: { type: 'any' },
  thinking: { type: 'adaptive' },
  raw_output: true,
  metadata: { user_id: 'u' },
  service_tier: 'standard_only',
  speed: 'standard',
  cache_control: { type: 'ephemeral' },
  user_profile_id: 'p',
  workspace_id: 'w',
  output_config: { effort: 'high' },
  output_format: {},
  container: 'c',
  mcp_servers: [],
  context_management: {},
  inference_geo: 'eu',
  diagnostics: {},
}

const ENDPOINTS = [
  {
    dialect: 'chat completions',
    fields: CHAT_FIELDS satisfies Record<ChatField, FieldRule> as Record<string, FieldRule>,
    samples: CHAT_SAMPLES as Record<string, unknown>,
    base: { model: 'gm-2.5-flash', messages, tools: chatTools },
    without: (field: string) => (field === 'response_format' ? { model: 'gm-3.5-flash', messages } : undefined),
    parse: (body: unknown): Parsed<Record<string, unknown>> => parseChatCompletion(body),
    prompt: (body: unknown) => {
      const parsed = parseChatCompletion(body)
      return parsed.ok ? promptOfChat(parsed.value) : undefined
    },
  },
  {
    dialect: 'messages',
    fields: MESSAGES_FIELDS satisfies Record<MessagesField, FieldRule> as Record<string, FieldRule>,
    samples: MESSAGES_SAMPLES as Record<string, unknown>,
    base: { model: 'gm-2.5-flash', max_tokens: 64, messages, tools },
    without: () => undefined,
    parse: (body: unknown): Parsed<Record<string, unknown>> => parseMessages(body),
    prompt: (body: unknown) => {
      const parsed = parseMessages(body)
      return parsed.ok ? promptOfMessages(parsed.value) : undefined
    },
  },
]

describe.each(ENDPOINTS)(
  'every field of $dialect that the official client knows',
  ({ fields, samples, base, without, parse, prompt }) => {
    it.each(Object.entries(fields).map(([field, { does }]) => [field, does] as const))('%s is %s', (field, does) => {
      const plain = without(field) ?? base
      const before = parse(plain)
      const after = parse({ ...plain, [field]: samples[field] })
      if (!before.ok) throw new Error(before.problem.message)
      if (does === 'refused') {
        expect(after).toMatchObject({ ok: false, problem: { code: 'unsupported_field', param: field } })
        return
      }
      if (!after.ok) throw new Error(after.problem.message)
      if (does === 'harmless') {
        expect(prompt({ ...plain, [field]: samples[field] })).toEqual(prompt(plain))
        // It is kept to tell requests apart, or left out; nothing else of the request changes.
        const { [field]: _kept, ...rest } = after.value
        expect(rest).toEqual(before.value)
      } else if (field !== 'stream') expect(after.value).not.toEqual(before.value)
    })
  },
)

describe('docs/text-endpoints.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/text-endpoints.md'), 'utf8')

  it.each([
    ['Fields of POST /v1/chat/completions', CHAT_FIELDS],
    ['Messages of POST /v1/chat/completions', CHAT_MESSAGE_FIELDS],
    ['Fields of POST /v1/messages', MESSAGES_FIELDS],
    ['Messages of POST /v1/messages', MESSAGES_BLOCK_FIELDS],
  ] as const)('says of "%s" what the code does', (heading, fields) => {
    const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
    const rows = section.split('\n').flatMap((line) => (line.startsWith('| `') ? [cells(line)] : []))
    expect(rows).toEqual(Object.entries<FieldRule>(fields).map(([field, { does, note }]) => [`\`${field}\``, does, note]))
  })
})

function cells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
