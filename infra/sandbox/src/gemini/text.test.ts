import { ApiError, FinishReason, ThinkingLevel } from '@google/genai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { officialClient } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const noThinking = { thinkingConfig: { thinkingBudget: 0 } }

describe('a text answer, read by the official client', () => {
  it('echoes the last user text in a fixed sentence, the same each time', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'first' }] },
      { role: 'model', parts: [{ text: 'You said: first' }] },
      { role: 'user', parts: [{ text: 'good ' }, { text: 'evening' }] },
    ]
    const ask = () => officialClient(sandbox).models.generateContent({ model: 'gemini-2.5-flash', contents, config: noThinking })
    const [one, two] = [await ask(), await ask()]
    expect(one.text).toBe('You said: good evening')
    expect(two.text).toBe(one.text)
    expect(two.responseId).not.toBe(one.responseId)
    expect(one.modelVersion).toBe('gemini-2.5-flash')
    expect(one.candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
    expect(one.candidates?.[0]?.content?.role).toBe('model')
  })

  it('counts usage from the text, thoughts apart and in the total', async () => {
    const { usageMetadata: usage } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-flash',
      contents: 'hello 12345',
    })
    // hello: 40/36 of a token, five digits: five.
    expect(usage?.promptTokenCount).toBe(7)
    expect(usage?.promptTokensDetails).toEqual([{ modality: 'TEXT', tokenCount: 7 }])
    expect(usage?.thoughtsTokenCount).toBe(96)
    expect(usage?.totalTokenCount).toBe(7 + 96 + (usage?.candidatesTokenCount ?? 0))
  })

  it('stops before the first stop sequence', async () => {
    const { text, candidates } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-flash-lite',
      contents: 'one two three',
      config: { stopSequences: ['three', ' two'] },
    })
    expect(text).toBe('You said: one')
    expect(candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
  })

  it('cuts at maxOutputTokens, never inside a code point', async () => {
    const { text, candidates, usageMetadata } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-flash-lite',
      contents: '😀'.repeat(100),
      config: { maxOutputTokens: 20 },
    })
    expect(candidates?.[0]?.finishReason).toBe(FinishReason.MAX_TOKENS)
    expect(usageMetadata?.candidatesTokenCount).toBe(20)
    expect(text).toMatch(/^You said: (😀)+$/u)
  })
})

it.each(['v1', 'v1beta'])('answers under %s', async (version) => {
  const client = officialClient(sandbox, undefined, version)
  expect((await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' })).text).toBe('You said: hi')
})

describe('thinking', () => {
  it('can use up the whole cap: MAX_TOKENS without text, thoughts counted', async () => {
    const { text, candidates, usageMetadata } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-pro',
      contents: 'think hard',
      config: { maxOutputTokens: 50 },
    })
    expect(text).toBeUndefined()
    expect(candidates?.[0]?.content).toEqual({ role: 'model' })
    expect(candidates?.[0]?.finishReason).toBe(FinishReason.MAX_TOKENS)
    expect(usageMetadata?.thoughtsTokenCount).toBe(50)
    expect(usageMetadata?.candidatesTokenCount).toBeUndefined()
  })

  it('shares the cap with the visible text', async () => {
    const { usageMetadata, candidates } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-3.5-flash',
      contents: 'word '.repeat(200),
      config: { maxOutputTokens: 60, thinkingConfig: { thinkingLevel: ThinkingLevel.MINIMAL } },
    })
    expect(usageMetadata?.thoughtsTokenCount).toBe(8)
    expect(usageMetadata?.candidatesTokenCount).toBe(52)
    expect(candidates?.[0]?.finishReason).toBe(FinishReason.MAX_TOKENS)
  })

  it.each([
    ['gemini-2.5-flash-lite', undefined],
    ['gemini-2.5-flash', 96],
    ['gemini-2.5-pro', 96],
    ['gemini-3.1-flash-lite', 8],
    ['gemini-3.5-flash-lite', 8],
    ['gemini-3.5-flash', 96],
    ['gemini-3.6-flash', 96],
  ])('%s thinks %s tokens unless told otherwise', async (model, thoughts) => {
    const { usageMetadata, text } = await officialClient(sandbox).models.generateContent({ model, contents: 'hi' })
    expect(usageMetadata?.thoughtsTokenCount).toBe(thoughts)
    expect(text).toBe('You said: hi')
  })

  it('shows a thought part only when asked', async () => {
    const { text, candidates } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-3.6-flash',
      contents: 'hi',
      config: { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW } },
    })
    const parts = candidates?.[0]?.content?.parts ?? []
    expect(parts.map((part) => part.thought ?? false)).toEqual([true, false])
    expect(text).toBe('You said: hi')
    expect(parts[1]?.thoughtSignature).toEqual(expect.any(String))
  })
})

describe('errors, as the official client reports them', () => {
  it('a bad key is a 400 with API_KEY_INVALID', async () => {
    const error = await officialClient(sandbox, 'wrong')
      .models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    expect(error).toBeInstanceOf(ApiError)
    if (!(error instanceof ApiError)) return
    expect(error.status).toBe(400)
    const body: unknown = JSON.parse(error.message)
    expect(body).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }, { locale: 'en-US' }] },
    })
  })

  it('an unknown model is 404 NOT_FOUND', async () => {
    const asked = officialClient(sandbox).models.generateContent({ model: 'gemini-9-flash', contents: 'hi' })
    await expect(asked).rejects.toMatchObject({ status: 404, message: expect.stringContaining('"status":"NOT_FOUND"') })
  })
})
