import type { EffectiveChatRequest, EffectiveMessagesRequest, MessagesBlock } from '@turnpike/contracts'
import { parseChatCompletion, parseMessages } from '@turnpike/contracts'
import { type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TextUpstream } from '../../call-first-available.ts'
import { CHAT_DIALECT, MESSAGES_DIALECT, type TextDialect } from '../../dialects/text-dialects.ts'
import { openGemini } from './open-gemini.ts'

// Whole conversations through both dialects as the service has them: parsed, read, called, written, and sent back in the next turn.

const API_KEY = 'key-of-this-test'
const TARGETS = [
  'gemini-2.5-flash-lite',
  'gemini-2.5-flash',
  'gemini-2.5-pro',
  'gemini-3.1-flash-lite',
  'gemini-3.5-flash-lite',
  'gemini-3.5-flash',
  'gemini-3.6-flash',
]
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let sandbox: Sandbox
let upstream: TextUpstream
beforeAll(async () => {
  sandbox = await startSandbox({ geminiApiKey: API_KEY })
  upstream = openGemini({ baseUrl: sandbox.geminiUrl, apiKey: API_KEY, maxConnections: 8 })
})
afterAll(async () => {
  await upstream.close()
  await sandbox.close()
})

let ids = 0
async function call<Request>(dialect: TextDialect<Request>, request: Request, target: string): Promise<Record<string, unknown>> {
  const limits = { signal: AbortSignal.timeout(20_000), deadlineMs: Date.now() + 20_000 }
  const outcome = await upstream.complete(target, dialect.read(request, new Map()), limits)
  if (outcome.kind !== 'succeeded') throw new Error(`${outcome.kind} ${outcome.reason}`)
  const identity = { model: 'gm', createdS: 1, newId: () => `${++ids}` }
  return dialect.write(outcome.value, identity, { rawOutput: false })
}
type ChatAnswer = { choices: [{ message: EffectiveChatRequest['messages'][number]; finish_reason: string }]; usage: object }
async function chat(body: object, target: string): Promise<ChatAnswer> {
  const parsed = parseChatCompletion({ model: 'gm-3.5-flash', max_tokens: 600, ...body })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return (await call(CHAT_DIALECT, parsed.value, target)) as unknown as ChatAnswer
}
type MessagesAnswer = { content: MessagesBlock[]; stop_reason: string; usage: { input_tokens: number; output_tokens: number } }
async function messages(body: object, target: string): Promise<MessagesAnswer> {
  const parsed = parseMessages({ model: 'gm-3.5-flash', max_tokens: 600, ...body })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return (await call(MESSAGES_DIALECT, parsed.value as EffectiveMessagesRequest, target)) as unknown as MessagesAnswer
}

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { port: { type: ['string', 'null'], minLength: 1 }, kind: { const: 'tide' }, at: { $ref: '#/definitions/At' } },
  required: ['port', 'kind'],
  additionalProperties: false,
  definitions: { At: { type: 'object', properties: { hour: { type: 'integer', exclusiveMinimum: 0 } } } },
}

describe.each(TARGETS)('%s', (target) => {
  it('goes through parallel and sequential tool calls in OpenAI words', async () => {
    const tools = ['tide', 'moon'].map((name) => ({ type: 'function', function: { name, parameters: schema, strict: true } }))
    const history: object[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'call tide and moon' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ]
    const first = (await chat({ messages: history, tools }, target)).choices[0]
    expect(first.finish_reason).toBe('tool_calls')
    const calls = first.message.role === 'assistant' ? (first.message.tool_calls ?? []) : []
    expect(calls.map(({ function: { name } }) => name)).toEqual(['tide', 'moon'])
    history.push(first.message)
    for (const { id } of calls.toReversed()) history.push({ role: 'tool', tool_call_id: id, content: `result of ${id}` })
    history.push({ role: 'user', content: 'call moon' })
    const second = (await chat({ messages: history, tools }, target)).choices[0]
    expect(second.message).toMatchObject({ tool_calls: [{ function: { name: 'moon' } }] })
    const again = second.message.role === 'assistant' ? (second.message.tool_calls ?? []) : []
    history.push(second.message, { role: 'tool', tool_call_id: again[0]?.id, content: 'full' })
    const last = await chat({ messages: history, tools }, target)
    expect(last.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'The tool moon answered: full' } })
    expect(last.usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) })
  })

  it('goes through tool results with errors and images in Anthropic words', async () => {
    const tools = [{ name: 'tide', description: 'Of a port', input_schema: schema }]
    const asked = { role: 'user', content: [{ type: 'text', text: 'call tide', cache_control: { type: 'ephemeral' } }] }
    const first = await messages(
      { system: [{ type: 'text', text: 'Be brief.' }], messages: [asked], tools, tool_choice: { type: 'any' } },
      target,
    )
    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'tide', input: { kind: 'tide' } }],
    })
    const [use] = first.content
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
    for (const isError of [false, true]) {
      const result = {
        type: 'tool_result',
        tool_use_id: use?.type === 'tool_use' ? use.id : '',
        is_error: isError,
        content: [{ type: 'text', text: 'low water' }, image],
      }
      const history = [asked, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }]
      const second = await messages({ messages: history, tools }, target)
      expect(second).toMatchObject({
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: `The tool tide ${isError ? 'failed' : 'answered'}: low water` }],
      })
    }
  })

  it('answers in JSON, with a schema and without', async () => {
    const ask = async (response_format: object) => {
      const { message } = (await chat({ messages: [{ role: 'user', content: 'Answer' }], response_format }, target)).choices[0]
      return JSON.parse(String(message.content)) as unknown
    }
    expect(await ask({ type: 'json_object' })).toEqual({ answer: 'You said: Answer' })
    expect(await ask({ type: 'json_schema', json_schema: { name: 'tide', schema } })).toEqual({
      port: 'port',
      kind: 'tide',
      at: { hour: 1 },
    })
  })

  it('thinks within what was paid for and ends as too long where thinking takes it all', async () => {
    const question = 'Think about the tides. '.repeat(40)
    for (const max_tokens of [1, 7, 64, 600]) {
      for (const reasoning_effort of ['minimal', 'low', 'medium', 'high']) {
        const { choices, usage } = await chat(
          { messages: [{ role: 'user', content: question }], max_tokens, reasoning_effort },
          target,
        )
        expect((usage as { completion_tokens: number }).completion_tokens).toBeLessThanOrEqual(max_tokens)
        if (max_tokens === 1) expect(choices[0].finish_reason).toBe('length')
      }
    }
    const budget = {
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      max_tokens: 1_025,
      messages: [{ role: 'user', content: question }],
    }
    expect((await messages(budget, target)).usage.output_tokens).toBeLessThanOrEqual(1_025)
    const all = { max_tokens: 4, thinking: { type: 'adaptive' }, messages: [{ role: 'user', content: question }] }
    expect(await messages(all, target)).toMatchObject({ stop_reason: 'max_tokens' })
  })
})
