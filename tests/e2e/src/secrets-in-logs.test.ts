import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fundWallet } from '@turnpike/local'
import { callsWith, chat, post, quoteAndSign } from '@turnpike/testing'
import { expect, inject, it } from 'vitest'
import { PATHS } from './dialects.ts'
import { stackNow } from './stack-under-test.ts'
import { filesHolding } from './stored-in-stack.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAAAAACcgYFdAAAADUlEQVR4nGNoaGAAIwANiQMBNh/1KwAAAABJRU5ErkJggg=='

/** A paid request and its receipt; what of it nobody but client and model may see. */
async function payFor(path: string, body: object): Promise<{ requestId: string; secrets: Record<string, string> }> {
  const stack = stackNow()
  const url = `${stack.baseUrl}${path}`
  const wallet = await fundWallet(stack, 1)
  const key = randomUUID()
  const payment = await quoteAndSign(wallet, { url, body, key })
  const paid = await post({ url, body, key, payment })
  expect(paid.status, await paid.clone().text()).toBe(200)
  const token = paid.headers.get('x-receipt-token') ?? ''
  await fetch(`${stack.baseUrl}/v1/receipts/${paid.headers.get('x-receipt-id')}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await post({ url, body: { ...body, max_tokens: 65 }, key, payment })
  // Refused for what it holds, which the answer must not repeat either.
  const refused = await post({ url, body: { ...body, tools: [body, body] } })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: { signature: string } }
  return {
    requestId: paid.headers.get('x-request-id') ?? 'none',
    secrets: { key, token, payment, signature: payload.signature },
  }
}

function expectKept(requestId: string, secrets: Record<string, string>): void {
  const logs = join(inject('stackHome'), 'logs')
  const services = /^(gateway|ledger|text-worker|media-worker|transcription-worker|facilitator)-/
  const files = readdirSync(logs).filter((name) => services.test(name))
  expect(files.length).toBeGreaterThanOrEqual(6)
  expect(files.some((name) => readFileSync(join(logs, name), 'utf8').includes(requestId))).toBe(true)
  for (const name of files) {
    const text = readFileSync(join(logs, name), 'utf8').toLowerCase()
    for (const [what, secret] of Object.entries(secrets))
      expect(text.includes(secret.toLowerCase()), `${what} in ${name}`).toBe(false)
  }
  // Where Kafka, Redis and Postgres keep their bytes. A settled signature is public calldata, so it is not looked for here.
  const { payment: _payment, signature: _signature, ...stored } = secrets
  for (const part of ['kafka', 'redis', 'postgres'] as const) {
    expect(filesHolding(part, Object.values(stored)), part).toEqual([])
  }
}

it('no prompt, answer, key, signature or token reaches a log, an event or the database in the clear', async () => {
  const prompt = `secret prompt ${randomUUID()}`
  const { requestId, secrets } = await payFor(PATHS.chat, chat(prompt))
  expectKept(requestId, { ...secrets, prompt })
})

const secret = () => `secret${randomBytes(12).toString('hex')}`
/** A picture with a tail of its own, so that it can be told from every other. */
const picture = () => Buffer.concat([Buffer.from(PNG, 'base64'), randomBytes(27)]).toString('base64')

const declared = { description: secret(), parameters: { type: 'object', properties: { [secret()]: { type: 'string' } } } }
const held = {
  name: secret(),
  id: secret(),
  argument: secret(),
  result: secret(),
  data: picture(),
  system: secret(),
  asked: secret(),
}

it.each([
  [
    'chat',
    chat('Look', {
      messages: [
        { role: 'system', content: held.system },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${held.data}` } }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: held.id, type: 'function', function: { name: held.name, arguments: `{"a":"${held.argument}"}` } }],
        },
        { role: 'tool', tool_call_id: held.id, content: held.result },
        { role: 'user', content: held.asked },
      ],
      tools: [{ type: 'function', function: { name: held.name, ...declared } }],
    }),
  ],
  [
    'messages',
    chat('Look', {
      system: held.system,
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: held.data } }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: held.id, name: held.name, input: { a: held.argument } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: held.id, content: held.result }] },
        { role: 'user', content: held.asked },
      ],
      tools: [{ name: held.name, description: declared.description, input_schema: declared.parameters }],
    }),
  ],
] as const)('nor do the tools, results and images of %s', async (dialect, body) => {
  const { requestId, secrets } = await payFor(PATHS[dialect], body)
  // The model has seen them.
  expect((await callsWith(stackNow(), held.asked)).length).toBeGreaterThan(0)
  const [property] = Object.keys(declared.parameters.properties)
  // Of the picture its tail, which is its own.
  const tail = held.data.slice(-32)
  expectKept(requestId, { ...secrets, ...held, data: tail, description: declared.description, property: property ?? 'none' })
})
