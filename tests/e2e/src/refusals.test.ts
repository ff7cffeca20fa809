import { randomUUID } from 'node:crypto'
import { TEXT_MODELS } from '@turnpike/contracts'
import { fundWallet } from '@turnpike/local'
import { callsWith, chat, post, quoteAndSign, signChallenge } from '@turnpike/testing'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { beforeAll, describe, expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeAll(async () => {
  wallet = await fundWallet(stack, 5)
})

async function codeOf(response: Response): Promise<{ status: number; code: string }> {
  const body = (await response.json()) as { code?: string; error: string | { code: string } }
  return { status: response.status, code: typeof body.error === 'string' ? (body.code ?? '') : body.error.code }
}

describe('before anything is paid', () => {
  it('gives the inspection challenge to an unsigned body that is empty, malformed or incomplete', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '{}',
      '{"model":"gm-2.5-flash"}',
      '{"model":"gm-2.5-flash","messages":[{"role":"user"}]}',
    ]
    for (const body of bodies) {
      const response = await post({ url, body })
      expect(response.status, body).toBe(402)
      expect(response.headers.get('x-service-challenge-kind'), body).toBe('inspection')
      expect(await response.json()).toMatchObject({ error: 'Payment Required', price: { amount: '0.002', type: 'inspection' } })
    }
    const bare = await fetch(url, { method: 'POST' })
    expect(bare.status).toBe(402)
    expect(bare.headers.get('x-service-challenge-kind')).toBe('inspection')
  })

  it('refuses a payment that was made for an inspection challenge, at the same price', async () => {
    const inspection = await post({ url, body: '' })
    const { header, required } = await signChallenge(wallet, inspection)
    expect(required.accepts[0]?.amount).toBe('2000')
    const body = chat(`Inspected ${randomUUID()}`)
    const key = randomUUID()
    expect((await post({ url, body, key })).status).toBe(402)
    expect(await codeOf(await post({ url, body, key, payment: header }))).toEqual({
      status: 402,
      code: 'inspection_payment_refused',
    })
  })

  it('names what is wrong with a complete body as a 400', async () => {
    const cases: [object, string][] = [
      [chat('x', { model: 'gpt-5' }), 'model_not_available'],
      [chat('x', { model: 'el/scribe-v2' }), 'model_not_available'],
      [chat('x', { max_tokens: 0 }), 'invalid_value'],
      [chat('x', { max_tokens: 65_537 }), 'invalid_value'],
      [chat('x', { max_tokens: '64' }), 'invalid_value'],
      [chat('x', { max_completion_tokens: 65 }), 'invalid_value'],
      [chat('x', { stream: true }), 'invalid_value'],
      [chat('x', { messages: [] }), 'invalid_value'],
      [chat('x', { tool_choice: 'required' }), 'invalid_value'],
      [chat('x', { tools: [{ type: 'custom', custom: { name: 'f' } }] }), 'unsupported_value'],
      [chat('x', { functions: [] }), 'unsupported_field'],
      [
        chat('x', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x/y.png' } }] }] }),
        'unsupported_value',
      ],
      [chat('x', { messages: [{ role: 'robot', content: 'x' }] }), 'invalid_value'],
    ]
    for (const [body, code] of cases) {
      expect(await codeOf(await post({ url, body })), JSON.stringify(body)).toEqual({ status: 400, code })
    }
  })

  it('checks content type, size and key in that order', async () => {
    expect((await post({ url, body: '{', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post({ url, body: chat('x'), headers: { 'content-type': 'application/json; charset=latin1' } })).status).toBe(
      415,
    )
    expect((await post({ url, body: ' '.repeat(20 * 1024 * 1024 + 1) })).status).toBe(413)
    const withoutKey = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat('x')),
    })
    expect(await codeOf(withoutKey)).toEqual({ status: 400, code: 'idempotency_key_required' })
    expect(await codeOf(await post({ url, body: chat('x'), key: 'has space' }))).toEqual({
      status: 400,
      code: 'idempotency_key_invalid',
    })
    expect(await codeOf(await post({ url, body: chat('x'), key: 'x'.repeat(256) }))).toEqual({
      status: 400,
      code: 'idempotency_key_invalid',
    })
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(`${stack.baseUrl}/v1/nothing`)).status).toBe(404)
  })

  it('answers every defect of a signed request with a 400 or a fresh challenge, and runs nothing', async () => {
    const marker = randomUUID()
    const body = chat(`Defect ${marker}`)
    const key = randomUUID()
    const challenge = await post({ url, body, key })
    const { header, payload } = await signChallenge(wallet, challenge)
    const altered = (
      change: (copy: {
        payload: { signature: string; authorization: Record<string, string> }
        accepted: Record<string, unknown>
      }) => void,
    ) => {
      const copy = structuredClone(payload) as unknown as Parameters<typeof change>[0]
      change(copy)
      return Buffer.from(JSON.stringify(copy)).toString('base64')
    }
    const now = Math.floor(Date.now() / 1000)
    const cases: [string, string, number, string][] = [
      ['garbage', '%%%', 400, 'payment_header_malformed'],
      ['not an object', Buffer.from('[]').toString('base64'), 400, 'payment_header_malformed'],
      [
        'another amount',
        altered((copy) => {
          copy.payload.authorization.value = '1'
        }),
        402,
        'payment_mismatch',
      ],
      [
        'another recipient',
        altered((copy) => {
          copy.payload.authorization.to = wallet.address
        }),
        402,
        'payment_mismatch',
      ],
      [
        'another network',
        altered((copy) => {
          copy.accepted.network = 'eip155:1'
        }),
        402,
        'payment_mismatch',
      ],
      [
        'ten years',
        altered((copy) => {
          copy.payload.authorization.validBefore = String(now + 315_360_000)
        }),
        402,
        'authorization_expires_too_late',
      ],
      [
        'ten seconds',
        altered((copy) => {
          copy.payload.authorization.validBefore = String(now + 10)
        }),
        402,
        'authorization_expires_too_soon',
      ],
      [
        'tomorrow',
        altered((copy) => {
          copy.payload.authorization.validAfter = String(now + 86_400)
        }),
        402,
        'authorization_not_yet_valid',
      ],
      [
        'a broken signature',
        altered((copy) => {
          copy.payload.signature = `${copy.payload.signature.slice(0, 10)}00${copy.payload.signature.slice(12)}`
        }),
        402,
        'payment_signature_invalid',
      ],
    ]
    for (const [name, payment, status, code] of cases) {
      const response = await post({ url, body, key, payment })
      if (status === 402)
        expect(() => decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? ''), name).not.toThrow()
      expect(await codeOf(response), name).toEqual({ status, code })
    }
    for (const defective of ['', '{', '{}']) {
      expect((await post({ url, body: defective, key, payment: header })).status, defective).toBe(400)
    }
    expect(await callsWith(stack, marker)).toEqual([])
    expect((await post({ url, body, key, payment: header })).status).toBe(200)
  })

  it('refuses a wallet that cannot pay, before any work', async () => {
    const poor = await fundWallet(stack, 0.001)
    const marker = randomUUID()
    const body = chat(`Poor ${marker}`)
    const key = randomUUID()
    const payment = await quoteAndSign(poor, { url, body, key })
    expect(await codeOf(await post({ url, body, key, payment }))).toEqual({ status: 402, code: 'insufficient_funds' })
    expect(await callsWith(stack, marker)).toEqual([])
  })

  it('gives no 5xx and no upstream call to 300 mangled requests', async () => {
    const marker = randomUUID()
    const sample = JSON.stringify(chat(`Fuzz ${marker}`))
    const seedStep = 2_654_435_761
    const mangled = Array.from({ length: 300 }, (_, index) => {
      const at = (index * seedStep) % sample.length
      const replacement = ['', '"', '{', '\u0000', '\ud800', '1e999', '[[[[', '\\', 'null', '-'][index % 10] ?? ''
      return sample.slice(0, at) + replacement + sample.slice(at + (index % 4))
    })
    mangled.push(
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"model":"gm-2.5-flash","messages":[{"role":"user","content":"x"}],"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    )
    mangled.push('{"__proto__":{"model":"gm-2.5-flash"},"constructor":1,"messages":[{"role":"user","content":"x"}]}')
    const statuses = new Set<number>()
    for (const body of mangled) statuses.add((await post({ url, body })).status)
    expect([...statuses].filter((status) => ![400, 402].includes(status))).toEqual([])
    expect(await callsWith(stack, marker)).toEqual([])
  })
})

describe('discovery', () => {
  it('lists the seven text models for both dialects, and a price for every model that is listed', async () => {
    const models = (await (await fetch(`${stack.baseUrl}/v1/models`)).json()) as {
      object: string
      catalog_version: string
      categories: { id: string }[]
      data: { id: string; supported_endpoints: string[] }[]
    }
    const pricing = (await (await fetch(`${stack.baseUrl}/v1/pricing`)).json()) as {
      catalog_version: string
      data: { model: string; billing_mode: string }[]
    }
    expect(models.object).toBe('list')
    expect(models.categories.map(({ id }) => id)[0]).toBe('text_generation')
    const texts = pricing.data.filter(({ billing_mode }) => billing_mode === 'fixed_request_estimate')
    expect(texts.map(({ model }) => model)).toEqual([...TEXT_MODELS])
    for (const { supported_endpoints } of models.data.filter(({ id }) => (TEXT_MODELS as readonly string[]).includes(id)))
      expect(supported_endpoints).toEqual(['/v1/chat/completions', '/v1/messages'])
    expect(pricing).toMatchObject({ object: 'pricing_catalog', service_fee_basis_points: 0, promotion: 'Zero service fee' })
    expect(pricing.catalog_version).toBe(models.catalog_version)
    expect(pricing.data.map(({ model }) => model)).toEqual(models.data.map(({ id }) => id))
    expect(models.catalog_version).toMatch(/^\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/)
  })

  it('reports every dependency by name on /readyz and keeps metrics off the public port', async () => {
    const ready = await fetch(`${stack.baseUrl}/readyz`)
    expect(await ready.json()).toEqual({
      ready: true,
      dependencies: { kafka: 'up', redis: 'up', ledger: 'up', s3: 'up', facilitator: 'up' },
    })
    expect((await fetch(`${stack.baseUrl}/healthz`)).status).toBe(200)
    expect((await fetch(`${stack.baseUrl}/metrics`)).status).toBe(404)
    const internal = stack.processes.find(({ name }) => name === 'gateway')?.internalUrl
    expect(await (await fetch(`${internal}/metrics`)).text()).toContain('turnpike_http_requests_total')
  })
})
