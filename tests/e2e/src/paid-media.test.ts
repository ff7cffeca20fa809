import { randomUUID } from 'node:crypto'
import { sha256Hex } from '@turnpike/contracts'
import { fundWallet } from '@turnpike/local'
import { callsWith, clearFaults, payingFetch, post, quoteAndSign, setFaults, transfersToSeller } from '@turnpike/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import OpenAI from 'openai'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { logsOf, stackNow } from './stack-under-test.ts'
import { filesHolding } from './stored-in-stack.ts'

const stack = stackNow()
const images = `${stack.baseUrl}/v1/images/generations`
const speech = `${stack.baseUrl}/v1/audio/speech`
const HOUR_MS = 3_600_000
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeAll(async () => {
  wallet = await fundWallet(stack, 20)
})
afterEach(() => clearFaults(stack))

const imageOf = (prompt: string, more: object = {}) => ({ model: 'gm-3.1-flash-lite-image', prompt, ...more })
const speechOf = (input: string, more: object = {}) => ({ model: 'el/flash-v2.5', input, ...more })

type ImageBody = { created: number; data: { url: string; url_expires_at: string; b64_json?: string }[] } & Record<string, unknown>
type SpeechItem = { url: string; bytes: number; duration_ms: number; characters: number; expires_at: string }
type SpeechBody = { id: string; created: number; data: SpeechItem[] } & Record<string, unknown>

async function pay(url: string, body: object, key: string = randomUUID()) {
  const payment = await quoteAndSign(wallet, { url, body, key })
  return { key, payment, response: await post({ url, body, key, payment }) }
}
async function receiptOf(response: Response): Promise<Record<string, unknown>> {
  const receipt = await fetch(`${stack.baseUrl}/v1/receipts/${response.headers.get('x-receipt-id')}`, {
    headers: { authorization: `Bearer ${response.headers.get('x-receipt-token')}` },
  })
  expect(receipt.status).toBe(200)
  return (await receipt.json()) as Record<string, unknown>
}
async function download(url: string): Promise<{ bytes: Buffer; type: string | null }> {
  expect(url.startsWith(`${stack.baseUrl}/v1/media/`)).toBe(true)
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return { bytes: Buffer.from(await response.arrayBuffer()), type: response.headers.get('content-type') }
}
async function paidFor(response: Response): Promise<bigint[]> {
  const { transaction } = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '')
  const transfers = await transfersToSeller(stack, wallet.address)
  return transfers.filter((transfer) => transfer.transaction === transaction).map(({ value }) => value)
}
const pngSize = (png: Buffer) => [png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]

describe('a paid image', () => {
  it('costs its price, is hosted for seven days, and is what the receipt says', async () => {
    const prompt = `A fox ${randomUUID()}`
    const { response } = await pay(images, imageOf(prompt))
    const text = await response.text()
    expect(response.status, text).toBe(200)
    const body = JSON.parse(text) as ImageBody
    expect(body).toEqual({
      created: expect.any(Number),
      model: 'gm-3.1-flash-lite-image',
      image_size: '1K',
      aspect_ratio: '1:1',
      data: [{ url: expect.any(String), backed_up: true, url_expires_at: expect.any(String), url_retention_days: 7 }],
      price: { amount: '0.035', currency: 'USD' },
    })
    const [item] = body.data
    const retentionMs = Date.parse(item?.url_expires_at ?? '') - body.created * 1000
    expect(retentionMs - 7 * 24 * HOUR_MS).toBeGreaterThanOrEqual(0)
    expect(retentionMs - 7 * 24 * HOUR_MS).toBeLessThan(1_000)
    const { bytes, type } = await download(item?.url ?? '')
    expect([type, ...pngSize(bytes)]).toEqual(['image/png', 'PNG', 1_024, 1_024])
    expect(bytes.length).toBeGreaterThan(200_000)
    expect(await callsWith(stack, prompt)).toHaveLength(1)
    expect(await paidFor(response)).toEqual([35_000n])
    expect(await receiptOf(response)).toMatchObject({
      endpoint: '/v1/images/generations',
      model: 'gm-3.1-flash-lite-image',
      price: { amount_atomic: '35000', amount: '0.035', currency: 'USDC' },
      usage: { output_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      response_sha256: sha256Hex(text),
    })
  })

  it('may come in the response too, to the official openai client around the official paying fetch', async () => {
    const prompt = `A boat ${randomUUID()}`
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${stack.baseUrl}/v1`, fetch: payingFetch(wallet) })
    const answer = await client.images.generate(
      { model: 'gm-3.1-flash-lite-image', prompt, n: 1, size: '1024x1024', response_format: 'b64_json' },
      { headers: { 'x-idempotency-key': randomUUID() } },
    )
    const [item] = answer.data ?? []
    const { bytes } = await download(item?.url ?? '')
    expect(bytes.equals(Buffer.from(item?.b64_json ?? '', 'base64'))).toBe(true)
    expect(pngSize(bytes)).toEqual(['PNG', 1_024, 1_024])
    expect(await callsWith(stack, prompt)).toHaveLength(1)
  })
})

it('neither a prompt nor the address of a hosted file stands in a log, an event or the database in the clear', async () => {
  const prompt = `secret picture ${randomUUID()}`
  const { response } = await pay(images, imageOf(prompt))
  const { data } = (await response.json()) as ImageBody
  const url = data[0]?.url ?? ''
  await download(url)
  expect((await fetch(`${url}x`)).status).toBe(404)
  const capability = url.slice(url.lastIndexOf('/') + 1)
  const isTold = (text: string) => text.includes(prompt) || text.includes(capability)
  for (const service of ['gateway', 'media-worker', 'ledger']) {
    expect(logsOf(service), service).toContain('"msg"')
    expect(isTold(logsOf(service)), service).toBe(false)
  }
  for (const part of ['kafka', 'redis', 'postgres'] as const) expect(filesHolding(part, [prompt, capability]), part).toEqual([])
})

describe('paid speech', () => {
  it('costs its characters, is hosted for a day, and is what was announced', async () => {
    const input = `Größe 👋 ${randomUUID()} `.repeat(40)
    const characters = [...input].length
    const { response } = await pay(speech, speechOf(input, { voice: 'bella', speed: 1.1 }))
    const text = await response.text()
    expect(response.status, text).toBe(200)
    const body = JSON.parse(text) as SpeechBody
    expect(Object.keys(body).sort()).toEqual(['created', 'data', 'id', 'model', 'usage'])
    expect(body).toMatchObject({ model: 'el/flash-v2.5', usage: { input_characters: characters } })
    const [item] = body.data
    expect(item).toEqual({
      url: expect.any(String),
      format: 'mp3',
      content_type: 'audio/mpeg',
      bytes: expect.any(Number),
      duration_ms: expect.any(Number),
      characters,
      expires_at: expect.any(String),
      backed_up: true,
    })
    const retentionMs = Date.parse(item?.expires_at ?? '') - body.created * 1000
    expect(retentionMs - 24 * HOUR_MS).toBeGreaterThanOrEqual(0)
    expect(retentionMs - 24 * HOUR_MS).toBeLessThan(1_000)
    const { bytes, type } = await download(item?.url ?? '')
    expect([type, bytes.length]).toEqual(['audio/mpeg', item?.bytes])
    // 128 kbit a second, at the pace of the sandbox.
    expect(Math.abs((item?.duration_ms ?? 0) - (bytes.length * 8) / 128)).toBeLessThan(60)
    expect(Math.abs((item?.duration_ms ?? 0) - (characters * 65) / 1.1)).toBeLessThan(60)
    const priceAtomic = (BigInt(characters) * 2_205n + 9n) / 10n
    expect(await paidFor(response)).toEqual([priceAtomic])
    expect(await receiptOf(response)).toMatchObject({
      endpoint: '/v1/audio/speech',
      price: { amount_atomic: String(priceAtomic) },
      usage: { input_characters: characters, character_cost: Math.ceil(characters / 2) },
      response_sha256: sha256Hex(text),
    })
  })

  it('comes to the official openai client as the JSON that names it', async () => {
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${stack.baseUrl}/v1`, fetch: payingFetch(wallet) })
    const response = await client.audio.speech.create(
      { model: 'el/flash-v2.5', input: `Hello ${randomUUID()}`, voice: 'darian' },
      { headers: { 'x-idempotency-key': randomUUID() } },
    )
    const { data } = (await response.json()) as SpeechBody
    expect((await download(data[0]?.url ?? '')).bytes).toHaveLength(data[0]?.bytes ?? 0)
  })
})

describe.each([
  { kind: 'an image', url: images, upstream: 'gemini', requestFor: imageOf },
  { kind: 'speech', url: speech, upstream: 'elevenlabs', requestFor: speechOf },
] as const)('a request for $kind', ({ url, upstream, requestFor }) => {
  it('is answered again byte for byte, its expiry included, without another call or charge', async () => {
    const marker = randomUUID()
    const { key, payment, response } = await pay(url, requestFor(`Again ${marker}`))
    expect(response.status).toBe(200)
    const text = await response.text()
    const before = await transfersToSeller(stack, wallet.address)
    const again = await post({ url, body: requestFor(`Again ${marker}`), key, payment })
    expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([200, 'true', text])
    expect(again.headers.get('x-receipt-id')).toBe(response.headers.get('x-receipt-id'))
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(before.length)
    expect(await callsWith(stack, marker)).toHaveLength(1)
  })

  const nothing = url === images ? { status: 400, code: 'content_blocked' } : { status: 503, code: 'provider_unusable_answer' }
  it.each([
    ['that the provider refuses', 'blocked', { status: 400, code: 'content_blocked' }],
    ['that the provider answers with nothing', 'no-content', nothing],
    ['that may have been executed', 'reset-before-response', { status: 503, code: 'provider_outcome_unknown' }],
    ['whose result is cut off', 'truncated-body', { status: 503, code: 'provider_outcome_unknown' }],
  ])('%s is not charged', async (_what, kind, { status, code }) => {
    const marker = randomUUID()
    const before = await transfersToSeller(stack, wallet.address)
    await setFaults(stack, [{ upstream, kind, match: { bodyIncludes: marker } }])
    const { response } = await pay(url, requestFor(`Faulty ${marker}`))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code, charged: 'no' } })
    expect(response.headers.get('x-receipt-id')).toBeNull()
    expect(await callsWith(stack, marker)).toHaveLength(1)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(before.length)
  })
})
