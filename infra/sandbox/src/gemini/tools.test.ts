import {
  type Content,
  type FunctionCall,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  type Tool,
  Type,
} from '@google/genai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { officialClient } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const tools: Tool[] = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        parametersJsonSchema: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
          required: ['city', 'unit'],
        },
      },
      { name: 'get_time', parameters: { type: Type.OBJECT, properties: { hours: { type: Type.INTEGER, minimum: 5 } } } },
    ],
  },
]

function ask(model: string, contents: Content[], config: Record<string, unknown> = {}): Promise<GenerateContentResponse> {
  return officialClient(sandbox).models.generateContent({ model, contents, config: { tools, ...config } })
}

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] })
const names = (response: GenerateContentResponse) => response.functionCalls?.map(({ name }) => name)

describe('function calls', () => {
  it('are made when the last user text asks for them by name, with arguments that satisfy the schema', async () => {
    const response = await ask('gemini-2.5-flash', [user('please call get_weather.')])
    expect(response.functionCalls).toEqual([{ name: 'get_weather', args: { city: 'city', unit: 'celsius' } }])
    expect(response.candidates?.[0]?.finishReason).toBe('STOP')
  })

  it.each(['call get_weather and get_time', 'call get_weather, get_time', 'Call get_weather, then call get_time!'])(
    'are parallel for two names: %s',
    async (text) => {
      const response = await ask('gemini-2.5-flash', [user(text)])
      expect(names(response)).toEqual(['get_weather', 'get_time'])
      expect(response.functionCalls?.[1]?.args).toEqual({ hours: 5 })
    },
  )

  it('are not made for a name that is not declared, nor under NONE', async () => {
    expect((await ask('gemini-2.5-flash', [user('call get_stocks')])).text).toBe('You said: call get_stocks')
    const none = { toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } } }
    expect((await ask('gemini-2.5-flash', [user('call get_time')], none)).text).toBe('You said: call get_time')
  })

  it('are forced by ANY, among the allowed names', async () => {
    const any = (allowedFunctionNames?: string[]) => ({
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, ...(allowedFunctionNames ? { allowedFunctionNames } : {}) },
      },
    })
    expect(names(await ask('gemini-2.5-flash', [user('hello')], any()))).toEqual(['get_weather'])
    expect(names(await ask('gemini-2.5-flash', [user('call get_weather')], any(['get_time'])))).toEqual(['get_time'])
  })

  it('end as MAX_TOKENS without parts when the cap is too small for them', async () => {
    const config = { maxOutputTokens: 4, thinkingConfig: { thinkingBudget: 0 } }
    const response = await ask('gemini-2.5-flash', [user('call get_weather')], config)
    expect(response.functionCalls).toBeUndefined()
    expect(response.candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
  })
})

describe('a tool result', () => {
  it('is answered by a sentence that quotes it, through a whole signed conversation on Gemini 3', async () => {
    const contents = [user('call get_weather and get_time')]
    const first = await ask('gemini-3.5-flash', contents)
    const turn = first.candidates?.[0]?.content
    expect(turn?.parts?.map((part) => part.thoughtSignature !== undefined)).toEqual([true, false])
    const calls = first.functionCalls ?? []
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    contents.push(turn ?? {}, { role: 'user', parts: calls.map((call) => result(call, `${call.name} is fine`)) })
    const second = await ask('gemini-3.5-flash', contents)
    expect(second.text).toBe('The tool get_weather answered: get_weather is fine\nThe tool get_time answered: get_time is fine')
  })

  it('that is an error is said to have failed', async () => {
    const contents: Content[] = [
      user('call get_time'),
      { role: 'model', parts: [{ functionCall: { name: 'get_time', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'get_time', response: { error: 'no clock' } } }] },
    ]
    expect((await ask('gemini-2.5-flash', contents)).text).toBe('The tool get_time failed: no clock')
  })

  it('with further text that asks for a call is answered by that call', async () => {
    const contents: Content[] = [
      user('call get_time'),
      { role: 'model', parts: [{ functionCall: { name: 'get_time', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'get_time', response: { output: '9' } } }, { text: 'now call get_weather' }],
      },
    ]
    expect(names(await ask('gemini-2.5-flash', contents))).toEqual(['get_weather'])
  })
})

describe('Gemini 3 thought signatures', () => {
  const steps = (signature: string | undefined, later: Content[] = []): Content[] => [
    user('call get_time'),
    {
      role: 'model',
      parts: [{ functionCall: { name: 'get_time', args: {} }, ...(signature ? { thoughtSignature: signature } : {}) }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'get_time', response: { output: '9' } } }] },
    ...later,
  ]

  it('are required on the first call of a step in the current turn', async () => {
    await expect(ask('gemini-3.5-flash', steps(undefined))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Function call is missing a thought_signature in functionCall parts'),
    })
  })

  it('may be the documented stand-in, or absent in an earlier turn and on Gemini 2.5', async () => {
    expect((await ask('gemini-3.5-flash', steps('skip_thought_signature_validator'))).text).toContain('answered: 9')
    const later: Content[] = [{ role: 'model', parts: [{ text: 'nine' }] }, user('thanks')]
    expect((await ask('gemini-3.5-flash', steps(undefined, later))).text).toBe('You said: thanks')
    expect((await ask('gemini-2.5-flash', steps(undefined))).text).toContain('answered: 9')
  })

  it('that were tampered with are refused', async () => {
    await expect(ask('gemini-3.5-flash', steps(Buffer.alloc(56, 7).toString('base64')))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Thought signature is not valid'),
    })
  })
})

function result(call: FunctionCall, output: string) {
  return { functionResponse: { ...(call.id ? { id: call.id } : {}), name: call.name ?? '', response: { output } } }
}
