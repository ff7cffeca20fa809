import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { classify } from '../../upstreams/gemini/classify.ts'
import { fixture } from '../../upstreams/gemini/fixture.ts'
import { writeMessage } from './write-response.ts'

/** What the official client makes of the body that a recorded answer of the upstream becomes. */
async function readByOfficialClient(name: string, rawOutput = false): Promise<Anthropic.Message> {
  const outcome = classify({ kind: 'response', status: 200, headers: {}, body: fixture(name), end: 'whole' }, 0)
  if (outcome.kind !== 'succeeded') throw new Error(outcome.reason)
  let ids = 0
  const identity = { model: 'gm-2.5-flash', newId: () => `${++ids}` }
  const body = JSON.stringify(writeMessage(outcome.value, identity, { rawOutput }))
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'none', maxRetries: 0 })
    return await client.messages.create({ model: 'gm-2.5-flash', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

it('gives the official client an answer with its own id, the public model and cached tokens apart', async () => {
  const message = await readByOfficialClient('answer')
  expect(message).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'gm-2.5-flash',
    content: [{ type: 'text', text: 'The tide turns twice a day.', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 24, cache_creation_input_tokens: 0, cache_read_input_tokens: 16, output_tokens: 7 },
  })
})

it('counts thoughts as output and tool prompts as input, and shows no thought', async () => {
  const message = await readByOfficialClient('answer-with-thoughts')
  expect(message.content).toMatchObject([{ type: 'text', text: 'Two.' }])
  expect(message.usage).toMatchObject({ input_tokens: 17, output_tokens: 92 })
})

it('keeps the text before tool calls, the ids that the upstream gave and the signatures', async () => {
  const message = await readByOfficialClient('answer-with-calls')
  expect(message.stop_reason).toBe('tool_use')
  expect(message.content).toEqual([
    { type: 'text', text: 'Looking both up.', citations: null },
    { type: 'tool_use', id: 'fc-1', name: 'tide', input: { port: 'Brest' }, thought_signature: 'c2ln' },
    { type: 'tool_use', id: 'toolu_2', name: 'moon', input: {} },
  ])
})

it.each([
  ['ceiling-eaten-by-thoughts', 'max_tokens', []],
  ['blocked-prompt', 'refusal', []],
  ['filtered-midway', 'refusal', ['It begins']],
])('reads %s as %s', async (name, stopReason, texts) => {
  const message = await readByOfficialClient(name)
  expect(message.stop_reason).toBe(stopReason)
  expect(message.content.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual(texts)
})

it('adds what the upstream said, and still names no upstream, when raw output was asked for', async () => {
  const message = await readByOfficialClient('answer-with-thoughts', true)
  expect(message).toHaveProperty('provider_output', {
    parts: [
      { text: 'First I count the tides.', thought: true },
      { text: 'Two.', thoughtSignature: 'c2lnbmF0dXJl' },
    ],
  })
  expect(JSON.stringify(message)).not.toMatch(/gemini|google/i)
})
