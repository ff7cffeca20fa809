import { randomUUID } from 'node:crypto'
import { fundWallet } from '@turnpike/local'
import { callsWith, clearFaults, setFaults } from '@turnpike/testing'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buyingFetch, type Exchanged, PNG_BASE64, stackNow } from './stack.ts'

const stack = stackNow()
const seen: Exchanged[] = []
let client: OpenAI
beforeAll(async () => {
  const paying = buyingFetch(await fundWallet(stack, 20), seen)
  client = new OpenAI({ apiKey: 'unused', baseURL: `${stack.baseUrl}/v1`, fetch: paying })
})
afterEach(async () => {
  seen.length = 0
  await clearFaults(stack)
})

type Params = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model'> & { model?: string }
const ask = (params: Params) => client.chat.completions.create({ model: 'gm-3.6-flash', max_tokens: 800, ...params })
const user = (content: string): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content })
const tool = (name: string, properties: Record<string, unknown>): OpenAI.ChatCompletionTool => ({
  type: 'function',
  function: {
    name,
    description: `Finds the ${name}.`,
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  },
})
const TOOLS = [tool('weather', { city: { type: 'string' } }), tool('time', { zone: { type: 'string' } })]

describe('the openai client: text', () => {
  it('gets a completion with its usage, for one payment and under one key', async () => {
    const answer = await ask({ messages: [user('Hello')] })
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'gm-3.6-flash' })
    expect(answer.id).toMatch(/^chatcmpl-/)
    expect(answer.choices).toHaveLength(1)
    expect(answer.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } })
    expect(answer.choices[0]?.message.content).toBe('You said: Hello')
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage ?? {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
    }
    expect(prompt_tokens).toBeGreaterThan(0)
    expect(completion_tokens).toBeGreaterThan(0)
    expect(total_tokens).toBeGreaterThanOrEqual(prompt_tokens + completion_tokens)
    expect(seen.map(({ status }) => status)).toEqual([402, 200])
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  })

  it.each<[string, OpenAI.ChatCompletionMessageParam[]]>([
    ['a system message', [{ role: 'system', content: 'Be brief.' }, user('One')]],
    ['a developer message', [{ role: 'developer', content: 'Be brief.' }, user('One')]],
    [
      'system parts',
      [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'Be' },
            { type: 'text', text: ' brief.' },
          ],
        },
        user('One'),
      ],
    ],
    ['user parts', [{ role: 'user', content: [{ type: 'text', text: 'One' }] }]],
    ['several turns', [user('Zero'), { role: 'assistant', content: 'You said: Zero' }, user('One')]],
    ['a named speaker', [{ role: 'user', name: 'ada', content: 'One' }]],
  ])('sends %s', async (_, messages) => {
    expect((await ask({ messages })).choices[0]?.message.content).toBe('You said: One')
  })

  it('sends sampling, seed and what has no effect', async () => {
    const answer = await ask({
      messages: [user('Sampled')],
      ...{ temperature: 0.3, top_p: 0.9, seed: 7, n: 1, presence_penalty: 0, frequency_penalty: 0, user: 'me', store: false },
      metadata: { a: 'b' },
    })
    expect(answer.choices[0]?.message.content).toBe('You said: Sampled')
  })

  it('stops at a stop sequence, given alone or in a list, and at the ceiling', async () => {
    const stopped = await ask({ messages: [user('one END two')], stop: ['never', 'END'] })
    expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'You said: one ' } })
    expect((await ask({ messages: [user('one END three')], stop: 'END' })).choices[0]?.message.content).toBe('You said: one ')
    const cut = await ask({
      model: 'gm-2.5-flash',
      max_tokens: null,
      max_completion_tokens: 3,
      messages: [user('many words '.repeat(20))],
    })
    expect(cut.choices[0]?.finish_reason).toBe('length')
    expect(cut.usage?.completion_tokens).toBeLessThanOrEqual(3)
  })

  it('asks for more thinking, and is told what it took', async () => {
    const thought = async (effort: 'low' | 'high') => {
      const answer = await ask({ messages: [user('Why?')], reasoning_effort: effort, max_tokens: 4_000 })
      return answer.usage?.completion_tokens_details?.reasoning_tokens ?? 0
    }
    expect(await thought('high')).toBeGreaterThan(await thought('low'))
  })

  it('shows an image by data URL', async () => {
    const image = (detail: 'low' | 'high'): OpenAI.ChatCompletionContentPart => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${PNG_BASE64}`, detail },
    })
    const answer = await ask({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image('low'), image('high')] }],
    })
    expect(answer.choices[0]?.message.content).toBe('You said: Look')
    const plain = await ask({ messages: [user('Look')] })
    expect(answer.usage?.prompt_tokens ?? 0).toBeGreaterThan((plain.usage?.prompt_tokens ?? 0) + 100)
  })
})

describe('the openai client: structure', () => {
  it('gets an object for json_object', async () => {
    const answer = await ask({ messages: [user('As JSON, please')], response_format: { type: 'json_object' } })
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toBeTypeOf('object')
  })

  it('parses what json_schema promised with its own helper', async () => {
    const Step = z.object({ explanation: z.string(), output: z.number() })
    const Shape = z.object({
      steps: z.array(Step),
      answer: z.string(),
      kind: z.enum(['easy', 'hard']),
      note: z.string().nullable(),
    })
    const answer = await client.chat.completions.parse({
      model: 'gm-3.6-flash',
      messages: [user('Solve it')],
      response_format: zodResponseFormat(Shape, 'solution'),
    })
    expect(Shape.safeParse(answer.choices[0]?.message.parsed).success).toBe(true)
  })
})

describe('the openai client: tools', () => {
  const resultOf = (call: OpenAI.ChatCompletionMessageToolCall, content: string): OpenAI.ChatCompletionMessageParam => ({
    role: 'tool',
    tool_call_id: call.id,
    content,
  })

  it('calls two at once and gets an answer from their results, thought signatures carried back', async () => {
    const messages = [user('call weather and time')]
    const asked = await ask({ messages, tools: TOOLS, parallel_tool_calls: true })
    const [choice] = asked.choices
    const calls = choice?.message.tool_calls ?? []
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(calls.map((call) => call.type === 'function' && call.function.name)).toEqual(['weather', 'time'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    for (const call of calls) if (call.type === 'function') expect(JSON.parse(call.function.arguments)).toBeTypeOf('object')
    expect(JSON.stringify(calls)).toContain('thought_signature')
    if (choice === undefined) throw new Error('no choice')
    const told = await ask({
      messages: [...messages, choice.message, ...calls.map((call, index) => resultOf(call, ['sunny', 'noon'][index] ?? ''))],
      tools: TOOLS,
    })
    expect(told.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(told.choices[0]?.message.content).toBe('The tool weather answered: sunny\nThe tool time answered: noon')
  })

  it('calls one after the other, a failed one included', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [user('call weather')]
    for (const result of ['{"error":"no such city"}', 'rain']) {
      const { choices } = await ask({ messages, tools: TOOLS })
      const [call] = choices[0]?.message.tool_calls ?? []
      if (choices[0] === undefined || call === undefined) throw new Error('no call')
      messages.push(choices[0].message, resultOf(call, result))
      if (result === 'rain') break
      messages.push({ role: 'assistant', content: 'It failed.' }, user('call weather'))
    }
    const { choices } = await ask({ messages, tools: TOOLS })
    expect(choices[0]?.message.content).toContain('The tool weather answered: rain')
  })

  it('is made to call, made to call one by name, kept from calling, and kept to one call', async () => {
    const calls = async (params: Partial<Params>, text = 'Hi') =>
      ((await ask({ messages: [user(text)], tools: TOOLS, ...params })).choices[0]?.message.tool_calls ?? []).map(
        (call) => call.type === 'function' && call.function.name,
      )
    expect(await calls({})).toEqual([])
    expect(await calls({ tool_choice: 'required' })).toHaveLength(1)
    expect(await calls({ tool_choice: { type: 'function', function: { name: 'time' } } })).toEqual(['time'])
    expect(await calls({ tool_choice: 'none' }, 'call weather now')).toEqual([])
    expect(await calls({ parallel_tool_calls: false }, 'call weather and time please')).toHaveLength(1)
  })

  it('runs its own tool loop, each step paid under a key of its own', async () => {
    const runner = client.chat.completions.runTools({
      model: 'gm-3.6-flash',
      messages: [user('call weather')],
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'Finds the weather.',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `sunny in ${city.slice(0, 0)}Paris`,
          },
        },
      ],
    })
    expect(await runner.finalContent()).toContain('The tool weather answered: sunny in Paris')
    expect(seen.map(({ status }) => status)).toEqual([402, 200, 402, 200])
    expect(new Set(seen.map(({ key }) => key)).size).toBe(2)
  })
})

describe('the openai client: errors', () => {
  const failure = async (params: Params & Record<string, unknown>, options: OpenAI.RequestOptions = {}): Promise<unknown> =>
    client.chat.completions.create({ model: 'gm-3.6-flash', ...params }, options).then(
      () => new Error('it succeeded'),
      (error: unknown) => error,
    )

  it.each<[string, Params & Record<string, unknown>, object]>([
    ['an unknown model', { model: 'gpt-9', messages: [user('x')] }, { code: 'model_not_available', param: 'model' }],
    ['an empty list of messages', { messages: [] }, { code: 'invalid_value' }],
    ['a temperature out of range', { messages: [user('x')], temperature: 3 }, { param: 'temperature' }],
    ['a stream', { messages: [user('x')], stream: true as never }, { param: 'stream' }],
    ['a field that would change the answer', { messages: [user('x')], logprobs: true }, { param: 'logprobs' }],
  ])('are BadRequestError for %s, at once and for free', async (_, params, expected) => {
    const error = await failure(params)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', error: { charged: 'no' }, ...expected })
    expect((error as InstanceType<typeof OpenAI.BadRequestError>).requestID).toMatch(/^[0-9a-f-]{36}$/)
    expect(seen.map(({ status }) => status)).toEqual([400])
  })

  it('are ConflictError for a key that has another request, without a retry', async () => {
    const headers = { 'x-idempotency-key': randomUUID() }
    await client.chat.completions.create({ model: 'gm-3.6-flash', messages: [user('first')] }, { headers })
    seen.length = 0
    const error = await failure({ messages: [user('second')] }, { headers })
    expect(error).toBeInstanceOf(OpenAI.ConflictError)
    expect(error).toMatchObject({ code: 'idempotency_key_reused' })
    expect(seen.map(({ status }) => status)).toEqual([409])
  })

  it('are NotFoundError for a route that is not there, and a free list of models for one that is', async () => {
    await expect(client.get('/nothing')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('gm-3.6-flash')
  })

  it('are an APIError with 402 for a wallet without money', async () => {
    const poor = new OpenAI({
      apiKey: 'unused',
      baseURL: `${stack.baseUrl}/v1`,
      fetch: buyingFetch(await fundWallet(stack, 0.000001)),
    })
    const error: unknown = await poor.chat.completions
      .create({ model: 'gm-3.6-flash', messages: [user('poor')] })
      .catch((each: unknown) => each)
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status: 402 })
  })

  it('are retried under the same key when the upstream fails for sure, and paid once', async () => {
    const marker = randomUUID()
    await setFaults(stack, [{ upstream: 'gemini', match: { bodyIncludes: marker }, kind: 'status-500', times: 20 }])
    const failed = await failure({ messages: [user(marker)] }, { maxRetries: 0 })
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
    expect(failed).toMatchObject({ status: 503, error: { charged: 'no', retryable: true } })
    await clearFaults(stack)
    const answer = await ask({ messages: [user(`${marker} again`)] })
    expect(answer.choices[0]?.message.content).toContain(marker)
    expect((await callsWith(stack, `${marker} again`)).map(({ outcome }) => outcome)).toEqual(['ok'])
  })
})
