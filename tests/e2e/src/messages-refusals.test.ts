import { randomUUID } from 'node:crypto'
import { fundWallet, type Wallet } from '@turnpike/local'
import { callsWith, chat, post, quoteAndSign, signChallenge } from '@turnpike/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { PATHS } from './dialects.ts'
import { expectFailure, type Failure } from './error-answer.ts'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}${PATHS.messages}`
let wallet: Wallet

beforeAll(async () => {
  wallet = await fundWallet(stack, 5)
})

const refused = (status: number, code: Failure['code']): Failure => ({ status, code, charged: 'no', retryable: false })
const expectRefused = (response: Response, status: number, code: Failure['code']) =>
  expectFailure(response, refused(status, code), 'messages')

describe('POST /v1/messages', () => {
  it('gives the inspection challenge to an unsigned body that is empty, malformed or incomplete', async () => {
    const { max_tokens: _, ...withoutCeiling } = chat('x')
    const incomplete = [
      ...['', '{', '[]', 'null', '{}'],
      JSON.stringify(withoutCeiling),
      JSON.stringify(chat('x', { messages: [{ role: 'user' }] })),
      JSON.stringify(chat('x', { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url' } }] }] })),
      JSON.stringify(chat('x', { tools: [{ name: 'f' }] })),
    ]
    for (const body of incomplete) {
      const response = await post({ url, body })
      expect(response.headers.get('x-service-challenge-kind'), body).toBe('inspection')
      await expectRefused(response, 402, 'inspection')
    }
    const bare = await fetch(url, { method: 'POST' })
    expect(bare.headers.get('x-service-challenge-kind')).toBe('inspection')
    await expectRefused(bare, 402, 'inspection')
  })

  it('asks for the price of a complete body, once, for this address alone', async () => {
    const key = randomUUID()
    const body = chat(`Quoted ${key}`)
    const { required } = await expectRefused(await post({ url, body, key }), 402, 'payment_required')
    expect(required?.resource?.url).toBe(url)
    expect(required?.accepts).toMatchObject([{ scheme: 'exact', network: 'eip155:8453', amount: '2000' }])
    const again = await expectRefused(
      await post({ url, body: { ...body, stream: false, stop_sequences: [] }, key }),
      402,
      'payment_required',
    )
    expect(again.required?.accepts).toEqual(required?.accepts)
  })

  it('names what is wrong with a complete body as a 400', async () => {
    const content = (block: object) => chat('x', { messages: [{ role: 'user', content: [block] }] })
    const cases: [object, Failure['code']][] = [
      [chat('x', { model: 'claude-sonnet' }), 'model_not_available'],
      [chat('x', { model: 'el/flash-v2.5' }), 'model_not_available'],
      [chat('x', { max_tokens: 0 }), 'invalid_value'],
      [chat('x', { stream: true }), 'invalid_value'],
      [chat('x', { temperature: 1.5 }), 'invalid_value'],
      [chat('x', { messages: [] }), 'invalid_value'],
      [chat('x', { thinking: { type: 'enabled', budget_tokens: 1_024 } }), 'invalid_value'],
      [chat('x', { tool_choice: { type: 'any' } }), 'invalid_value'],
      [content({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }), 'invalid_value'],
      [content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }), 'invalid_value'],
      [content({ type: 'thinking', thinking: 'x', signature: 'x' }), 'unsupported_value'],
      [content({ type: 'image', source: { type: 'file', file_id: 'f' } }), 'unsupported_value'],
      [chat('x', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), 'unsupported_value'],
      [chat('x', { mcp_servers: [] }), 'unsupported_field'],
      [chat('7'.repeat(1_100_000)), 'context_length_exceeded'],
    ]
    for (const [body, code] of cases) await expectRefused(await post({ url, body }), 400, code)
  })

  it('checks content type, size, method and key as everywhere', async () => {
    await expectRefused(await post({ url, body: '{', headers: { 'content-type': 'text/plain' } }), 415, 'unsupported_media_type')
    await expectRefused(await post({ url, body: ' '.repeat(20 * 1024 * 1024 + 1) }), 413, 'payload_too_large')
    await expectRefused(await post({ url, body: chat('x'), key: 'has space' }), 400, 'idempotency_key_invalid')
    const get = await fetch(url)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await get.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'method_not_allowed' },
    })
  })

  it('keeps a key for one request: another body is a 409, and so is the other dialect', async () => {
    const marker = randomUUID()
    const call = { url, body: chat(`Kept ${marker}`), key: randomUUID() }
    const payment = await quoteAndSign(wallet, call)
    await expectRefused(await post({ ...call, body: chat(`Other ${marker}`) }), 409, 'idempotency_key_reused')
    const other = { ...call, url: `${stack.baseUrl}${PATHS.chat}` }
    await expectFailure(await post({ ...other, payment }), refused(409, 'idempotency_key_reused'))
    expect(await callsWith(stack, marker)).toEqual([])
    const paid = await post({ ...call, payment })
    expect(paid.status, await paid.text()).toBe(200)
    await expectRefused(await post({ ...call, body: chat(`Other ${marker}`), payment }), 409, 'idempotency_key_reused')
    const replay = await post({ ...call, payment })
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  })

  it('refuses a payment that was made for an inspection, and every defect of a signed body', async () => {
    const { header } = await signChallenge(wallet, await post({ url, body: '' }))
    const call = { url, body: chat(`Inspected ${randomUUID()}`), key: randomUUID() }
    await (await post(call)).body?.cancel()
    await expectRefused(await post({ ...call, payment: header }), 402, 'inspection_payment_refused')
    await expectRefused(await post({ ...call, body: '{', payment: header }), 400, 'invalid_json')
    await expectRefused(await post({ ...call, body: '{}', payment: header }), 400, 'missing_required_field')
  })

  it('gives no 5xx and no upstream call to 300 mangled requests', async () => {
    const marker = randomUUID()
    const sample = JSON.stringify({
      ...chat(`Fuzz ${marker}`),
      system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'tide', input_schema: { type: 'object', properties: { port: { type: ['string', 'null'] } } } }],
      tool_choice: { type: 'tool', name: 'tide' },
    })
    const seedStep = 2_654_435_761
    const statuses = new Set<number>()
    for (let index = 0; index < 300; index++) {
      const at = (index * seedStep) % sample.length
      const replacement = ['', '"', '{', '\u0000', '\ud800', '1e999', '[[[[', '\\', 'null', '-'][index % 10] ?? ''
      const body = sample.slice(0, at) + replacement + sample.slice(at + (index % 4))
      statuses.add((await post({ url, body })).status)
    }
    expect([...statuses].filter((status) => ![400, 402].includes(status))).toEqual([])
    expect(await callsWith(stack, marker)).toEqual([])
  })
})
