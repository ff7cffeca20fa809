import { randomBytes } from 'node:crypto'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ChatCompletionRequest, ERRORS, type ErrorCode, errorRow, type Release } from '@turnpike/contracts'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@turnpike/payments'
import { openTokenKeys, tokenMatches } from '@turnpike/sealing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PAID } from '../endpoints/paid-endpoints.ts'
import { type Answer, problem } from '../paid/answer.ts'
import { type Place, type SendDeps, sendAnswer } from './send-answer.ts'

const RECEIPT_KEY = `k1:${randomBytes(32).toString('base64')}`
const deps: SendDeps = {
  publicBaseUrl: 'https://api.test',
  payTo: '0x00000000000000000000000000000000deadbeef',
  receiptTokenKeys: openTokenKeys(RECEIPT_KEY),
}
const chat: Place = {
  requestId: 'c0ffee00-0000-4000-8000-000000000001',
  path: '/v1/chat/completions',
  endpoint: {
    path: '/v1/chat/completions',
    description: 'Chat – größer als ASCII 😀',
    requestSchema: ChatCompletionRequest,
  },
}
let server: Server
let url: string
let place: Place
let answer: Answer
let longName: boolean
const LONG_DEPS: SendDeps = { ...deps, publicBaseUrl: 'https://pay-per-request.models.production.eu-central-1.example.com' }
const CODES = Object.keys(ERRORS) as ErrorCode[]

beforeAll(async () => {
  server = createServer((_request, response) => sendAnswer(longName ? LONG_DEPS : deps, response, place, answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  place = chat
  longName = false
})

/** The head of an answer as it is on the wire. */
function head(from: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(from, (response) => resolve(response.resume())).on('error', reject)
  })
}

async function sent(what: Answer): Promise<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }> {
  answer = what
  const response = await fetch(url)
  const text = await response.text()
  for (const [name, value] of response.headers) expect(value, name).toMatch(/^[\x20-\x7e]*$/)
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

const release: Release = {
  jobId: '1'.repeat(64),
  receiptId: '0b6e5b2e-6f0a-4d4e-9a53-0a4a7a0f0001',
  catalogVersion: '2026-11-21.0a1b2c3d',
  endpoint: '/v1/chat/completions',
  fingerprint: '2'.repeat(64),
  payer: `0x${'a'.repeat(40)}`,
  contentType: 'application/json',
  body: { inline: '' },
  sha256: '3'.repeat(64),
  bytes: 0,
  paymentResponse: {
    success: true,
    transaction: `0x${'4'.repeat(64)}`,
    network: 'eip155:8453',
    payer: `0x${'a'.repeat(40)}`,
    note: 'größer 😀',
  },
  createdS: Date.UTC(2026, 10, 21) / 1000,
}

describe('a fixed challenge', () => {
  const fixed: Answer = {
    kind: 'challenge',
    reason: 'payment_required',
    challenge: { type: 'fixed', amountAtomic: 5_034n, maxTimeoutSeconds: 300, expiresAt: Date.UTC(2026, 10, 21) },
  }

  it('is a 402 whose header the official codec reads, and whose body says the same', async () => {
    const { status, headers, json } = await sent(fixed)
    expect(status).toBe(402)
    const required = decodePaymentRequiredHeader(headers.get('payment-required') ?? '')
    expect(required).toMatchObject({
      x402Version: 2,
      resource: {
        url: 'https://api.test/v1/chat/completions',
        description: chat.endpoint?.description,
        mimeType: 'application/json',
      },
    })
    expect(required.accepts).toHaveLength(1)
    const [requirements] = required.accepts
    expect(requirements).toEqual({
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '5034',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x00000000000000000000000000000000DeaDBeef',
      maxTimeoutSeconds: 300,
      extra: { name: 'USD Coin', version: '2' },
    })
    expect(json).toEqual({
      error: 'Payment Required',
      message: errorRow('payment_required').message,
      price: { amount: '0.005034', currency: 'USDC', type: 'fixed' },
      paymentInfo: { x402Version: 2, scheme: requirements?.scheme, network: requirements?.network, asset: requirements?.asset },
      expires_at: '2026-11-21T00:00:00.000Z',
      code: 'payment_required',
      charged: 'no',
      retryable: false,
      doc_url: 'https://api.test/docs#payment_required',
      request_id: chat.requestId,
    })
  })

  // nginx keeps what a server answers before the body in one page, by default, and answers 502 when it is more.
  it.each(PAID)(
    'of $path fits a proxy with the defaults of nginx, whatever it says and however long the name of the service',
    async (endpoint) => {
      const { kind, challenge } = fixed
      const reasons = CODES.filter((code) => errorRow(code).status === 402)
      expect(reasons).toContain('inspection')
      for (const reason of reasons) {
        const type = reason === 'inspection' ? 'inspection' : 'fixed'
        answer = { kind, challenge: { ...challenge, type, amountAtomic: 123_456_789n }, reason } as Answer
        place = { ...chat, path: endpoint.path, endpoint }
        longName = true
        const { rawHeaders } = await head(url)
        const bytes = rawHeaders.reduce((sum, text) => sum + text.length + 2, 'HTTP/1.1 402 Payment Required\r\n\r\n'.length)
        expect(bytes, reason).toBeLessThan(4_096)
      }
    },
  )

  it('is not to be cached, and not to be retried as it was', async () => {
    const { headers } = await sent(fixed)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-should-retry')).toBe('false')
    expect(headers.has('retry-after')).toBe(false)
    expect(headers.has('x-service-challenge-kind')).toBe(false)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('after a refused payment says why', async () => {
    const { json, headers } = await sent({ ...fixed, reason: 'insufficient_funds' } as Answer)
    expect(json).toMatchObject({
      code: 'insufficient_funds',
      message: errorRow('insufficient_funds').message,
      price: { type: 'fixed' },
    })
    expect(decodePaymentRequiredHeader(headers.get('payment-required') ?? '').error).toBe(errorRow('insufficient_funds').message)
  })
})

describe('an inspection challenge', () => {
  it('is marked in header, body and requirements, and names what is missing in the body alone', async () => {
    const { status, headers, json } = await sent({
      kind: 'challenge',
      reason: 'inspection',
      message: 'messages is required.',
      challenge: { type: 'inspection', amountAtomic: 2_000n, maxTimeoutSeconds: 300 },
    })
    expect(status).toBe(402)
    expect(headers.get('x-service-challenge-kind')).toBe('inspection')
    expect(json).toMatchObject({ error: 'Payment Required', price: { amount: '0.002', type: 'inspection' }, code: 'inspection' })
    expect(json.message).toBe(`messages is required. ${errorRow('inspection').message}`)
    expect(json).not.toHaveProperty('expires_at')
    const required = decodePaymentRequiredHeader(headers.get('payment-required') ?? '')
    expect(required.accepts[0]).toMatchObject({ amount: '2000', extra: { challengeKind: 'inspection' } })
    expect(JSON.stringify(required)).not.toContain('messages is required')
  })
})

describe('a problem', () => {
  it.each((Object.keys(ERRORS) as ErrorCode[]).filter((code) => errorRow(code).status !== 402))(
    '%s has its status, envelope and retry headers',
    async (code) => {
      const { status, headers, json } = await sent(problem(code))
      const row = errorRow(code)
      expect(status).toBe(row.status)
      expect(json).toMatchObject({ error: { code, charged: row.charged, retryable: row.retryable }, request_id: chat.requestId })
      expect(headers.get('x-should-retry')).toBe(String(row.retryable))
      expect(headers.get('retry-after')).toBe(row.retryAfterS === undefined ? null : String(row.retryAfterS))
      expect(headers.get('cache-control')).toBe('no-store')
    },
  )

  it('keeps text that is not ASCII out of its headers', async () => {
    const { json } = await sent(problem('invalid_value', { message: 'größer 😀', param: 'ключ' }))
    expect(json).toMatchObject({ error: { message: 'größer 😀', param: 'ключ' } })
  })

  it('has the shape of Anthropic on its endpoint', async () => {
    place = { ...chat, path: '/v1/messages' }
    expect((await sent(problem('provider_overloaded', { retryAfterS: 77 }))).headers.get('retry-after')).toBe('77')
    expect((await sent(problem('provider_overloaded'))).json).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error' },
    })
  })

  it('that no retry can help has no Retry-After, whoever asked for one', async () => {
    expect((await sent(problem('provider_outcome_unknown', { retryAfterS: 5 }))).headers.has('retry-after')).toBe(false)
  })
})

describe('a release', () => {
  const body = Buffer.from('{"text":"größer \u{1f600}"}')

  it('goes out byte by byte, with its receipt and settlement', async () => {
    const { status, headers, text } = await sent({ kind: 'release', release, body, replayed: false })
    expect(status).toBe(200)
    expect(text).toBe(body.toString())
    expect(headers.get('content-length')).toBe(String(body.length))
    expect(headers.get('x-receipt-id')).toBe(release.receiptId)
    expect(tokenMatches(deps.receiptTokenKeys, release.receiptId, headers.get('x-receipt-token') ?? '')).toBe(true)
    expect(headers.get('x-catalog-version')).toBe(release.catalogVersion)
    expect(decodePaymentResponseHeader(headers.get('payment-response') ?? '')).toEqual(release.paymentResponse)
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.has('idempotent-replayed')).toBe(false)
  })

  it('is the same again as a replay, and says so', async () => {
    const first = await sent({ kind: 'release', release, body, replayed: false })
    const again = await sent({ kind: 'release', release, body, replayed: true })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(first.text)
    for (const name of ['x-receipt-id', 'x-receipt-token', 'payment-response', 'x-catalog-version', 'content-type']) {
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    }
  })

  it('keeps its token when the keys of tokens were rotated in between, and the token of what comes later is of the new one', async () => {
    const tokenNow = async (what: Release) =>
      (await sent({ kind: 'release', release: what, body, replayed: true })).headers.get('x-receipt-token') ?? ''
    const first = await tokenNow(release)
    const before = deps.receiptTokenKeys
    deps.receiptTokenKeys = openTokenKeys(`k2@2026-11-22T00:00Z:${randomBytes(32).toString('base64')},${RECEIPT_KEY}`)
    expect(await tokenNow(release)).toBe(first)
    expect(tokenMatches(deps.receiptTokenKeys, release.receiptId, first)).toBe(true)
    expect(await tokenNow({ ...release, createdS: Date.UTC(2026, 10, 22) / 1000 })).toMatch(/^k2\./)
    deps.receiptTokenKeys = before
  })
})

it('a client that has gone gets no answer', async () => {
  answer = { kind: 'gone' }
  await expect(fetch(url)).rejects.toThrow()
})
