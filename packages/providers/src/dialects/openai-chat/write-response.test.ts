import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { classify } from '../../upstreams/gemini/classify.ts'
import { fixture } from '../../upstreams/gemini/fixture.ts'
import { writeChatCompletion } from './write-response.ts'

let ids = 0
const IDENTITY = { createdS: 1_795_000_000, model: 'gm-2.5-flash', newId: () => `${++ids}` }

/** What the official client makes of the body that a recorded answer of the upstream becomes. */
async function readByOfficialClient(name: string, rawOutput = false): Promise<OpenAI.Chat.ChatCompletion> {
  ids = 0
  const outcome = classify({ kind: 'response', status: 200, headers: {}, body: fixture(name), end: 'whole' }, 0)
  if (outcome.kind !== 'succeeded') throw new Error(outcome.reason)
  const body = JSON.stringify(writeChatCompletion(outcome.value, IDENTITY, { rawOutput }))
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none', maxRetries: 0 })
    return await client.chat.completions.create({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

it('gives the official client an answer with its own id and the public model', async () => {
  const completion = await readByOfficialClient('answer')
  expect(completion).toMatchObject({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_795_000_000,
    model: 'gm-2.5-flash',
  })
  expect(completion).not.toHaveProperty('provider_output')
  expect(completion.choices).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'The tide turns twice a day.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ])
  expect(completion.usage).toEqual({
    prompt_tokens: 40,
    completion_tokens: 7,
    total_tokens: 47,
    prompt_tokens_details: { cached_tokens: 16 },
    completion_tokens_details: { reasoning_tokens: 0 },
  })
})

it('counts thoughts as completion and shows none of them', async () => {
  const completion = await readByOfficialClient('answer-with-thoughts')
  expect(completion.choices[0]?.message.content).toBe('Two.')
  expect(completion.usage).toMatchObject({
    prompt_tokens: 17,
    completion_tokens: 92,
    total_tokens: 109,
    completion_tokens_details: { reasoning_tokens: 90 },
  })
})

it('keeps the text beside tool calls, the ids that the upstream gave and the signatures', async () => {
  const completion = await readByOfficialClient('answer-with-calls')
  const [choice] = completion.choices
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Looking both up.' } })
  expect(choice?.message.tool_calls).toEqual([
    {
      id: 'fc-1',
      type: 'function',
      function: { name: 'tide', arguments: '{"port":"Brest"}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    },
    { id: 'call_1', type: 'function', function: { name: 'moon', arguments: '{}' } },
  ])
})

it.each([
  ['ceiling-eaten-by-thoughts', 'length', null],
  ['blocked-prompt', 'content_filter', null],
  ['filtered-midway', 'content_filter', 'It begins'],
])('reads %s as %s', async (name, finishReason, content) => {
  const completion = await readByOfficialClient(name)
  expect(completion.choices[0]).toMatchObject({ finish_reason: finishReason, message: { content, refusal: null } })
})

it('adds what the upstream said, signatures included, when raw output was asked for', async () => {
  expect(await readByOfficialClient('answer-with-thoughts', true)).toHaveProperty('provider_output', {
    parts: [
      { text: 'First I count the tides.', thought: true },
      { text: 'Two.', thoughtSignature: 'c2lnbmF0dXJl' },
    ],
  })
  expect(await readByOfficialClient('answer-with-calls', true)).toHaveProperty('provider_output', {
    parts: [
      { text: 'Looking both up.' },
      { functionCall: { id: 'fc-1', name: 'tide', args: { port: 'Brest' } }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'moon', args: {} } },
    ],
  })
})

it.each(['answer', 'answer-with-thoughts'])('names no upstream in what it sends, raw or not: %s', async (name) => {
  for (const rawOutput of [false, true]) {
    expect(JSON.stringify(await readByOfficialClient(name, rawOutput))).not.toMatch(/gemini|google/i)
  }
})
