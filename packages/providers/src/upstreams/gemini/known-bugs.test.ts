import type { EffectiveChatRequest, EffectiveMessagesRequest } from '@turnpike/contracts'
import { type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TextUpstream } from '../../call-first-available.ts'
import { readMessagesRequest } from '../../dialects/anthropic-messages/read-request.ts'
import { readChatRequest } from '../../dialects/openai-chat/read-request.ts'
import { writeChatCompletion } from '../../dialects/openai-chat/write-response.ts'
import { textOf } from '../../text/text-completion.ts'
import type { TextRequest } from '../../text/text-request.ts'
import { classify } from './classify.ts'
import { openGemini } from './open-gemini.ts'
import { writeRequest } from './write-request.ts'

// What gateways like this one have shipped wrong, each as it should be.

const API_KEY = 'key-of-this-test'
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

const chat = (request: Partial<EffectiveChatRequest>): TextRequest =>
  readChatRequest({
    model: 'gm-3.5-flash',
    max_tokens: 512,
    stream: false,
    messages: [{ role: 'user', content: 'Hi' }],
    ...request,
  } as EffectiveChatRequest)
const messages = (request: Partial<EffectiveMessagesRequest>): TextRequest =>
  readMessagesRequest({
    model: 'gm-3.5-flash',
    max_tokens: 512,
    stream: false,
    messages: [{ role: 'user', content: 'Hi' }],
    ...request,
  })
async function answer(request: TextRequest, target = 'gemini-3.5-flash') {
  const limits = { signal: AbortSignal.timeout(20_000), deadlineMs: Date.now() + 20_000 }
  const outcome = await upstream.complete(target, request, limits)
  if (outcome.kind !== 'succeeded') throw new Error(`${outcome.kind} ${outcome.reason}`)
  return outcome.value
}
const call = (id: string, name: string, signature?: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: '{}' },
  ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
})
const tool = (name: string, parameters?: object): NonNullable<EffectiveChatRequest['tools']>[number] => ({
  type: 'function',
  function: { name, ...(parameters === undefined ? {} : { parameters: { ...parameters } }) },
})

describe('schemas', () => {
  it('a tool result that holds a $ref is text, not a reference (litellm 38223)', async () => {
    const fragment = JSON.stringify({ $ref: '#/components/schemas/Tide', nested: { $ref: 'x' } })
    const asked = chat({
      messages: [
        { role: 'user', content: 'Read it' },
        { role: 'assistant', content: null, tool_calls: [call('a', 'read')] },
        { role: 'tool', tool_call_id: 'a', content: fragment },
      ],
      tools: [tool('read')],
    })
    expect(writeRequest('gemini-3.5-flash', asked).contents.at(-1)?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'read', response: { output: fragment } } },
    ])
    expect(textOf(await answer(asked))).toContain(fragment)
  })

  it('a nullable object keeps its properties (litellm 19029)', () => {
    const place = { type: ['object', 'null'], properties: { port: { type: 'string' } }, required: ['port'] }
    const asked = chat({ tools: [tool('tide', { type: 'object', properties: { place } })] })
    expect(writeRequest('gemini-3.5-flash', asked).tools?.[0]?.functionDeclarations[0]?.parametersJsonSchema).toEqual({
      type: 'object',
      properties: {
        place: {
          anyOf: [{ type: 'object', properties: { port: { type: 'string' } }, required: ['port'] }, { type: 'null' }],
        },
      },
    })
  })

  it.each([undefined, {}, { type: 'object' }, { type: 'object', properties: {}, additionalProperties: false, $schema: 'x' }])(
    'a tool without parameters (%j) is taken (litellm 18442)',
    async (parameters) => {
      const completion = await answer(
        chat({ messages: [{ role: 'user', content: 'call now' }], tools: [tool('now', parameters)] }),
      )
      expect(completion.parts).toMatchObject([{ type: 'tool_call', name: 'now', arguments: {} }])
    },
  )
})

describe('thought signatures (litellm 16893, 25322, 18570)', () => {
  const tools = [tool('tide'), tool('moon')]
  const twoSteps = (first: object, second: object): TextRequest =>
    chat({
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: null, ...first },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', content: 'two' },
        { role: 'assistant', content: 'Now the other.', ...second },
        { role: 'tool', tool_call_id: 'c', content: 'three' },
      ] as EffectiveChatRequest['messages'],
      tools,
    })
  const signaturesOf = (request: TextRequest) =>
    writeRequest('gemini-3.5-flash', request)
      .contents.filter(({ role }) => role === 'model')
      .map(({ parts }) => parts.map(({ thoughtSignature }) => thoughtSignature))
  const dummy = 'skip_thought_signature_validator'

  it('that came with the calls go back with the same calls, in both dialects', async () => {
    const first = await answer({
      ...chat({ tools }),
      turns: chat({ messages: [{ role: 'user', content: 'call tide and moon' }] }).turns,
    })
    const [tide, moon] = first.parts
    if (tide?.type !== 'tool_call' || moon?.type !== 'tool_call') throw new Error('no calls')
    expect(tide.signature).toEqual(expect.any(String))
    expect(moon.signature).toBeUndefined()
    const signature = tide.signature ?? ''
    const asChat = twoSteps(
      { tool_calls: [call('a', 'tide', signature), call('b', 'moon')] },
      { tool_calls: [call('c', 'tide', signature)] },
    )
    expect(signaturesOf(asChat)).toEqual([
      [signature, undefined],
      [undefined, signature],
    ])
    await answer(asChat)
    const use = (id: string, name: string, more: object = {}) => ({ type: 'tool_use' as const, id, name, input: {}, ...more })
    const asMessages = messages({
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: [use('a', 'tide', { thought_signature: signature }), use('b', 'moon')] },
        { role: 'user', content: ['a', 'b'].map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'x' })) },
      ],
      tools: tools.map(({ function: { name } }) => ({ name, input_schema: {} })),
    })
    expect(signaturesOf(asMessages)).toEqual([[signature, undefined]])
    await answer(asMessages)
  })

  it('that were lost are stood in for on the first call of each step, and nowhere else', async () => {
    const request = twoSteps({ tool_calls: [call('a', 'tide'), call('b', 'moon')] }, { tool_calls: [call('c', 'tide')] })
    expect(signaturesOf(request)).toEqual([
      [dummy, undefined],
      [undefined, dummy],
    ])
    await answer(request)
  })

  it('are never moved from one part to another', () => {
    const request = twoSteps(
      { tool_calls: [call('a', 'tide'), call('b', 'moon', 'c2ln')] },
      { tool_calls: [call('c', 'tide', 'bXk=')] },
    )
    expect(signaturesOf(request)).toEqual([
      [dummy, 'c2ln'],
      [undefined, 'bXk='],
    ])
  })
})

describe('answers (Portkey 669825c)', () => {
  const seen = (body: object) => {
    const outcome = classify(
      { kind: 'response', status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)), end: 'whole' },
      0,
    )
    if (outcome.kind !== 'succeeded') return outcome.code
    return writeChatCompletion(outcome.value, { model: 'gm', createdS: 1, newId: () => '1' })
  }
  const candidate = (parts: object[], finishReason: string) => ({ candidates: [{ content: { parts }, finishReason }] })

  it('thoughts are part of the usage', () => {
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 40, totalTokenCount: 47 }
    expect(seen({ ...candidate([{ text: 'Two' }], 'STOP'), usageMetadata })).toMatchObject({
      usage: { prompt_tokens: 5, completion_tokens: 42, total_tokens: 47, completion_tokens_details: { reasoning_tokens: 40 } },
    })
  })

  it('text beside tool calls is kept', () => {
    expect(seen(candidate([{ text: 'Looking.' }, { functionCall: { name: 'tide' } }], 'STOP'))).toMatchObject({
      choices: [{ message: { content: 'Looking.', tool_calls: [{ function: { name: 'tide', arguments: '{}' } }] } }],
    })
  })

  it('every system message is used, wherever it stands', () => {
    const asked = chat({
      messages: [
        { role: 'system', content: 'One' },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Two' },
      ],
    })
    expect(writeRequest('gemini-3.5-flash', asked).systemInstruction?.parts).toEqual([{ text: 'One' }, { text: 'Two' }])
  })

  it('RECITATION is no ordinary end, and a malformed call no answer', () => {
    expect(seen(candidate([{ text: 'It begins' }], 'RECITATION'))).toMatchObject({
      choices: [{ finish_reason: 'content_filter' }],
    })
    expect(seen(candidate([], 'MALFORMED_FUNCTION_CALL'))).toBe('provider_unusable_answer')
  })
})
