import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { fundWallet } from '@turnpike/local'
import { APICallError, generateObject, generateText, type LanguageModel, Output, stepCountIs, tool } from 'ai'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buyingFetch, type Exchanged, PNG_BASE64, stackNow } from './stack.ts'

const stack = stackNow()
const seen: Exchanged[] = []
const models = new Map<string, (name: string) => LanguageModel>()
beforeAll(async () => {
  const options = { apiKey: 'unused', baseURL: `${stack.baseUrl}/v1`, fetch: buyingFetch(await fundWallet(stack, 20), seen) }
  models.set('openai', createOpenAI(options).chat)
  models.set('anthropic', createAnthropic(options))
})
afterEach(() => {
  seen.length = 0
})

const Recipe = z.object({ name: z.string(), minutes: z.number(), steps: z.array(z.string()), isVegan: z.boolean() })
const tools = {
  weather: tool({
    description: 'Finds the weather.',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => 'sunny',
  }),
  time: tool({ description: 'Finds the time.', inputSchema: z.object({ zone: z.string() }), execute: async () => 'noon' }),
  broken: tool({
    description: 'Always fails.',
    inputSchema: z.object({ reason: z.string() }),
    execute: async (): Promise<string> => {
      throw new Error('it is broken')
    },
  }),
}

describe.each(['openai', 'anthropic'])('the AI SDK over %s', (provider) => {
  const model = (name = 'gm-3.6-flash'): LanguageModel => {
    const open = models.get(provider)
    if (open === undefined) throw new Error('no such provider')
    return open(name)
  }

  it('generates text with its usage, for one payment', async () => {
    const { text, usage, finishReason, response } = await generateText({
      model: model(),
      instructions: 'Be brief.',
      prompt: 'Hello',
      maxOutputTokens: 800,
      stopSequences: ['END'],
    })
    expect({ text, finishReason }).toEqual({ text: 'You said: Hello', finishReason: 'stop' })
    expect(usage.inputTokens).toBeGreaterThan(0)
    expect(usage.outputTokens).toBeGreaterThan(0)
    expect(response.modelId).toBe('gm-3.6-flash')
    expect(seen.map(({ status }) => status)).toEqual([402, 200])
  })

  it('goes on with a conversation that has an image', async () => {
    const { text } = await generateText({
      model: model(),
      maxOutputTokens: 800,
      messages: [
        { role: 'user', content: 'Zero' },
        { role: 'assistant', content: 'You said: Zero' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'file', mediaType: 'image/png', data: PNG_BASE64 },
          ],
        },
      ],
    })
    expect(text).toBe('You said: Look')
  })

  it('walks the steps of tools that are called at once, each paid under a key of its own', async () => {
    const { text, steps } = await generateText({
      model: model(),
      prompt: 'call weather and time',
      maxOutputTokens: 800,
      tools,
      stopWhen: stepCountIs(4),
    })
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([['weather', 'time'], []])
    expect(text).toBe('The tool weather answered: sunny\nThe tool time answered: noon')
    expect(seen.map(({ status }) => status)).toEqual([402, 200, 402, 200])
    expect(new Set(seen.map(({ key }) => key)).size).toBe(2)
  })

  it('tells the model of a tool that failed', async () => {
    const { text } = await generateText({
      model: model(),
      prompt: 'call broken',
      maxOutputTokens: 800,
      tools,
      stopWhen: stepCountIs(3),
    })
    expect(text).toContain('The tool broken')
    expect(text).toContain('it is broken')
  })

  it('is made to call a tool', async () => {
    const { toolCalls, finishReason } = await generateText({
      model: model(),
      prompt: 'Hi',
      maxOutputTokens: 800,
      tools,
      toolChoice: { type: 'tool', toolName: 'time' },
    })
    expect(finishReason).toBe('tool-calls')
    expect(toolCalls.map(({ toolName }) => toolName)).toEqual(['time'])
  })

  it('generates an object that satisfies its schema, with generateObject and with Output.object', async () => {
    const { object } = await generateObject({ model: model(), schema: Recipe, prompt: 'A recipe', maxOutputTokens: 2_000 })
    expect(Recipe.safeParse(object).success).toBe(true)
    const { output } = await generateText({
      model: model(),
      output: Output.object({ schema: Recipe }),
      prompt: 'Another recipe',
      maxOutputTokens: 2_000,
    })
    expect(Recipe.safeParse(output).success).toBe(true)
  })

  it('says that the ceiling cut the answer', async () => {
    const { finishReason } = await generateText({
      model: model('gm-2.5-flash'),
      prompt: 'many words '.repeat(20),
      maxOutputTokens: 3,
    })
    expect(finishReason).toBe('length')
  })

  it('throws its own error for what is refused, at once and for free', async () => {
    const error: unknown = await generateText({ model: model('gpt-9'), prompt: 'x' }).catch((each: unknown) => each)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false })
    expect(seen.map(({ status }) => status)).toEqual([400])
  })
})
