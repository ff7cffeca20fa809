import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { classify } from '../../upstreams/gemini/classify.ts'
import { fixture } from '../../upstreams/gemini/fixture.ts'
import { writeChatCompletion } from './write-response.ts'

const IDENTITY = { id: 'chatcmpl-8c1d', created: 1_795_000_000, model: 'gm-2.5-flash' }

/** What the official client makes of the body that a recorded answer of the upstream becomes. */
async function readByOfficialClient(name: string): Promise<OpenAI.Chat.ChatCompletion> {
  const outcome = classify({ kind: 'response', status: 200, headers: {}, body: fixture(name), end: 'whole' }, 0)
  if (outcome.kind !== 'succeeded') throw new Error(outcome.reason)
  const body = JSON.stringify(writeChatCompletion(outcome.value, IDENTITY))
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
  expect(completion).toMatchObject({ ...IDENTITY, object: 'chat.completion' })
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
    { id: expect.stringMatching(/^call_[0-9a-f]{32}$/), type: 'function', function: { name: 'moon', arguments: '{}' } },
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

it('names no upstream in what it sends', async () => {
  const completion = await readByOfficialClient('answer')
  expect(JSON.stringify(completion)).not.toMatch(/gemini|google/i)
})
