import { randomUUID } from 'node:crypto'
import Anthropic from '@anthropic-ai/sdk'
import { fundWallet } from '@turnpike/local'
import { clearFaults, setFaults } from '@turnpike/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buyingFetch, type Exchanged, PNG_BASE64, stackNow } from './stack.ts'

const stack = stackNow()
const seen: Exchanged[] = []
let client: Anthropic
beforeAll(async () => {
  const paying = buyingFetch(await fundWallet(stack, 20), seen)
  client = new Anthropic({ apiKey: 'unused', baseURL: stack.baseUrl, fetch: paying })
})
afterEach(async () => {
  seen.length = 0
  await clearFaults(stack)
})

type Params = Partial<Anthropic.MessageCreateParamsNonStreaming> & { messages: Anthropic.MessageParam[] }
const ask = (params: Params) => client.messages.create({ model: 'gm-3.6-flash', max_tokens: 800, ...params })
const user = (content: string | Anthropic.ContentBlockParam[]): Anthropic.MessageParam => ({ role: 'user', content })
const textOf = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
const callsOf = ({ content }: Anthropic.Message) => content.filter((block) => block.type === 'tool_use')
const tool = (name: string, properties: Record<string, unknown>): Anthropic.Tool => ({
  name,
  description: `Finds the ${name}.`,
  input_schema: { type: 'object', properties, required: Object.keys(properties) },
})
// The types of newer models have no sampling any more; the wire does.
const SAMPLING: object = { temperature: 0.4, top_p: 0.9, top_k: 20 }
const TOOLS = [tool('weather', { city: { type: 'string' } }), tool('time', { zone: { type: 'string' } })]

describe('the anthropic client: text', () => {
  it('gets a message with its usage, for one payment and under one key', async () => {
    const answer = await ask({ messages: [user('Hello')] })
    expect(answer).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'gm-3.6-flash',
      stop_reason: 'end_turn',
      stop_sequence: null,
    })
    expect(answer.id).toMatch(/^msg_/)
    expect(answer.content).toMatchObject([{ type: 'text', text: 'You said: Hello' }])
    expect(answer.usage.input_tokens).toBeGreaterThan(0)
    expect(answer.usage.output_tokens).toBeGreaterThan(0)
    expect(seen.map(({ status }) => status)).toEqual([402, 200])
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  })

  it.each<[string, Params]>([
    ['a system prompt', { system: 'Be brief.', messages: [user('One')] }],
    [
      'system blocks',
      {
        system: [
          { type: 'text', text: 'Be', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'brief.' },
        ],
        messages: [user('One')],
      },
    ],
    ['text blocks', { messages: [user([{ type: 'text', text: 'One' }])] }],
    ['several turns', { messages: [user('Zero'), { role: 'assistant', content: 'You said: Zero' }, user('One')] }],
    ['sampling and metadata', { ...SAMPLING, metadata: { user_id: 'me' }, messages: [user('One')] }],
  ])('sends %s', async (_, params) => {
    expect(textOf(await ask(params))).toBe('You said: One')
  })

  it('stops at a stop sequence, which it names, and at the ceiling', async () => {
    const stopped = await ask({ messages: [user('one END two')], stop_sequences: ['never', 'END'] })
    expect(stopped).toMatchObject({ content: [{ text: 'You said: one ' }] })
    expect(['stop_sequence', 'end_turn']).toContain(stopped.stop_reason)
    const cut = await ask({ model: 'gm-2.5-flash', max_tokens: 3, messages: [user('many words '.repeat(20))] })
    expect(cut.stop_reason).toBe('max_tokens')
    expect(cut.usage.output_tokens).toBeLessThanOrEqual(3)
  })

  it('thinks when it is asked to', async () => {
    const spent = async (thinking: Anthropic.ThinkingConfigParam) =>
      (await ask({ messages: [user('Why is that?')], thinking, max_tokens: 4_000 })).usage.output_tokens
    expect(await spent({ type: 'enabled', budget_tokens: 2_048 })).toBeGreaterThan(await spent({ type: 'disabled' }))
  })

  it('shows an image by its bytes', async () => {
    const image: Anthropic.ImageBlockParam = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG_BASE64 },
    }
    const answer = await ask({ messages: [user([image, { type: 'text', text: 'Look' }])] })
    expect(textOf(answer)).toBe('You said: Look')
    expect(answer.usage.input_tokens).toBeGreaterThan((await ask({ messages: [user('Look')] })).usage.input_tokens + 100)
  })
})

describe('the anthropic client: tools', () => {
  const resultOf = (
    { id }: { id: string },
    content: Anthropic.ToolResultBlockParam['content'],
    isError = false,
  ): Anthropic.ToolResultBlockParam => ({
    type: 'tool_result',
    tool_use_id: id,
    ...(content === undefined ? {} : { content }),
    is_error: isError,
  })

  it('calls two at once and gets an answer from their results, thought signatures carried back', async () => {
    const asked = await ask({ messages: [user('call weather and time')], tools: TOOLS })
    const calls = callsOf(asked)
    expect(asked.stop_reason).toBe('tool_use')
    expect(calls.map(({ name }) => name)).toEqual(['weather', 'time'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    for (const { input } of calls) expect(input).toBeTypeOf('object')
    expect(JSON.stringify(asked.content)).toContain('thought_signature')
    const told = await ask({
      messages: [
        user('call weather and time'),
        { role: 'assistant', content: asked.content },
        user(calls.map((call, index) => resultOf(call, index === 0 ? 'sunny' : [{ type: 'text', text: 'noon' }]))),
      ],
      tools: TOOLS,
    })
    expect(told.stop_reason).toBe('end_turn')
    expect(textOf(told)).toBe('The tool weather answered: sunny\nThe tool time answered: noon')
  })

  it('calls one after the other, a failed one included', async () => {
    const messages: Anthropic.MessageParam[] = [user('call weather')]
    const first = await ask({ messages, tools: TOOLS })
    messages.push(
      { role: 'assistant', content: first.content },
      user(callsOf(first).map((call) => resultOf(call, 'no such city', true))),
    )
    const failed = await ask({ messages, tools: TOOLS })
    expect(textOf(failed)).toBe('The tool weather failed: no such city')
    messages.push({ role: 'assistant', content: failed.content }, user('call time'))
    const second = await ask({ messages, tools: TOOLS })
    messages.push({ role: 'assistant', content: second.content }, user(callsOf(second).map((call) => resultOf(call, 'noon'))))
    expect(textOf(await ask({ messages, tools: TOOLS }))).toBe('The tool time answered: noon')
  })

  it('is made to call, made to call one by name, kept from calling, and kept to one call', async () => {
    const calls = async (params: Partial<Params>, text = 'Hi') =>
      callsOf(await ask({ messages: [user(text)], tools: TOOLS, ...params })).map(({ name }) => name)
    expect(await calls({})).toEqual([])
    expect(await calls({ tool_choice: { type: 'any' } })).toHaveLength(1)
    expect(await calls({ tool_choice: { type: 'tool', name: 'time' } })).toEqual(['time'])
    expect(await calls({ tool_choice: { type: 'none' } }, 'call weather now')).toEqual([])
    expect(
      await calls({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, 'call weather and time please'),
    ).toHaveLength(1)
  })

  it('shows an image in a tool result', async () => {
    const messages = [user('call weather')]
    const asked = await ask({ messages, tools: TOOLS })
    const image: Anthropic.ImageBlockParam = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG_BASE64 },
    }
    const results = callsOf(asked).map((call) => resultOf(call, [{ type: 'text', text: 'a map' }, image]))
    const told = await ask({
      messages: [...messages, { role: 'assistant', content: asked.content }, user(results)],
      tools: TOOLS,
    })
    expect(textOf(told)).toContain('a map')
  })
})

describe('the anthropic client: errors', () => {
  const failure = async (params: object, options: Anthropic.RequestOptions = {}): Promise<unknown> =>
    client.messages.create({ model: 'gm-3.6-flash', max_tokens: 64, messages: [user('x')], ...params }, options).then(
      () => new Error('it succeeded'),
      (error: unknown) => error,
    )

  it.each<[string, object, string]>([
    ['an unknown model', { model: 'claude-9' }, 'model_not_available'],
    ['an empty list of messages', { messages: [] }, 'invalid_value'],
    ['a temperature out of range', { temperature: 2 }, 'invalid_value'],
    [
      'thoughts in the history',
      { messages: [user('x'), { role: 'assistant', content: [{ type: 'thinking', thinking: 'y', signature: 'z' }] }, user('x')] },
      'unsupported_value',
    ],
    ["a tool of Anthropic's own", { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'unsupported_value'],
  ])('are BadRequestError for %s, at once and for free', async (_, params, code) => {
    const error = await failure(params)
    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      error: { type: 'error', error: { type: 'invalid_request_error', code, charged: 'no' } },
    })
    expect((error as InstanceType<typeof Anthropic.BadRequestError>).requestID ?? '').not.toBe('')
    expect(seen.map(({ status }) => status)).toEqual([400])
  })

  it('are ConflictError for a key that has another request, without a retry', async () => {
    const headers = { 'x-idempotency-key': randomUUID() }
    await client.messages.create({ model: 'gm-3.6-flash', max_tokens: 64, messages: [user('first')] }, { headers })
    seen.length = 0
    const error = await failure({ messages: [user('second')] }, { headers })
    expect(error).toBeInstanceOf(Anthropic.ConflictError)
    expect(seen.map(({ status }) => status)).toEqual([409])
  })

  it('are an APIError with 402 for a wallet without money', async () => {
    const poor = new Anthropic({
      apiKey: 'unused',
      baseURL: stack.baseUrl,
      fetch: buyingFetch(await fundWallet(stack, 0.000001)),
    })
    const error: unknown = await poor.messages
      .create({ model: 'gm-3.6-flash', max_tokens: 64, messages: [user('poor')] })
      .catch((each: unknown) => each)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ status: 402 })
  })

  it('are InternalServerError, free and worth a retry when the upstream fails for sure', async () => {
    const marker = randomUUID()
    await setFaults(stack, [{ upstream: 'gemini', match: { bodyIncludes: marker }, kind: 'status-500', times: 20 }])
    const failed = await failure({ messages: [user(marker)] }, { maxRetries: 0 })
    expect(failed).toBeInstanceOf(Anthropic.InternalServerError)
    expect(failed).toMatchObject({ status: 503, error: { error: { charged: 'no', retryable: true } } })
  })
})
