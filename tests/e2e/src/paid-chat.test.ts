import { randomUUID } from 'node:crypto'
import { canonical, sha256Hex } from '@turnpike/contracts'
import { fundWallet } from '@turnpike/local'
import { type Ed25519PublicJwk, verifyDetached } from '@turnpike/sealing'
import { callsWith, chat, payingFetch, post, quoteAndSign, signChallenge, transfersToSeller } from '@turnpike/testing'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import OpenAI from 'openai'
import { beforeAll, describe, expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeAll(async () => {
  wallet = await fundWallet(stack, 20)
})

describe('a paid chat completion', () => {
  it('is challenged with one exact price, answered once it is paid, and leaves one transfer and one receipt', async () => {
    const marker = randomUUID()
    const body = chat(`Say ${marker}`)
    const key = randomUUID()
    const challenge = await post({ url, body, key })
    expect(challenge.status).toBe(402)
    expect(challenge.headers.get('x-service-challenge-kind')).toBeNull()
    const summary = (await challenge.json()) as {
      price: { amount: string; type: string }
      paymentInfo: object
      expires_at: string
    }
    const required = decodePaymentRequiredHeader(challenge.headers.get('PAYMENT-REQUIRED') ?? '')
    expect(summary).toMatchObject({ error: 'Payment Required', price: { amount: '0.002', currency: 'USDC', type: 'fixed' } })
    expect(summary.paymentInfo).toEqual({ x402Version: 2, scheme: 'exact', network: 'eip155:8453', asset: stack.chain.usdc })
    expect(required.accepts).toHaveLength(1)
    expect(required.accepts[0]).toMatchObject({ scheme: 'exact', network: 'eip155:8453', amount: '2000', maxTimeoutSeconds: 300 })
    expect(required.accepts[0]?.payTo.toLowerCase()).toBe(stack.payTo.toLowerCase())
    expect(await callsWith(stack, marker)).toEqual([])

    const { header } = await signChallenge(wallet, challenge)
    const paid = await post({ url, body, key, payment: header })
    expect(paid.status).toBe(200)
    const text = await paid.text()
    const completion = JSON.parse(text) as OpenAI.ChatCompletion
    expect(completion).toMatchObject({ object: 'chat.completion', model: 'gm-2.5-flash-lite' })
    expect(completion.choices[0]?.message.content).toContain(marker)
    expect(completion.usage?.total_tokens).toBeGreaterThan(0)
    for (const name of ['x-receipt-id', 'x-receipt-token', 'payment-response', 'x-request-id', 'x-catalog-version']) {
      expect(paid.headers.get(name), name).toBeTruthy()
    }
    const settlement = decodePaymentResponseHeader(paid.headers.get('PAYMENT-RESPONSE') ?? '')
    expect(settlement).toMatchObject({ success: true, network: 'eip155:8453' })
    expect((await callsWith(stack, marker)).map((call) => call.outcome)).toEqual(['ok'])

    const transfers = await transfersToSeller(stack, wallet.address)
    expect(transfers.filter(({ transaction }) => transaction === settlement.transaction)).toEqual([
      expect.objectContaining({ value: 2000n }),
    ])

    const receiptUrl = `${stack.baseUrl}/v1/receipts/${paid.headers.get('x-receipt-id')}`
    const receipt = (await (
      await fetch(receiptUrl, { headers: { authorization: `Bearer ${paid.headers.get('x-receipt-token')}` } })
    ).json()) as { signature: string } & Record<string, unknown>
    expect(receipt).toMatchObject({
      object: 'receipt',
      endpoint: '/v1/chat/completions',
      model: 'gm-2.5-flash-lite',
      catalog_version: paid.headers.get('x-catalog-version'),
      price: { amount_atomic: '2000', amount: '0.002', currency: 'USDC' },
      payment: { payer: wallet.address.toLowerCase(), transaction: settlement.transaction },
      response_sha256: sha256Hex(text),
    })
    const { keys } = (await (await fetch(`${stack.baseUrl}/.well-known/jwks.json`)).json()) as { keys: Ed25519PublicJwk[] }
    const { signature, ...unsigned } = receipt
    expect(verifyDetached(keys, signature, canonical(unsigned))).toBe(true)
    expect((await fetch(receiptUrl)).status).toBe(401)
    expect((await fetch(receiptUrl, { headers: { authorization: 'Bearer k1.wrong' } })).status).toBe(404)
  })

  it('is replayed byte for byte with the same signature or a new one of the same payer, and is 409 for a changed request', async () => {
    const marker = randomUUID()
    const body = chat(`Replay ${marker}`)
    const key = randomUUID()
    const payment = await quoteAndSign(wallet, { url, body, key })
    const first = await post({ url, body, key, payment })
    expect(first.status).toBe(200)
    const text = await first.text()
    const before = await transfersToSeller(stack, wallet.address)
    const anew = await quoteAndSign(wallet, { url, body, key })
    for (const [which, signature] of [
      ['the same signature', payment],
      ['a new signature', anew],
    ] as const) {
      for (const gateway of stack.gateways) {
        const again = await post({ url: `${gateway}/v1/chat/completions`, body, key, payment: signature })
        expect(again.status, which).toBe(200)
        expect(await again.text()).toBe(text)
        expect(again.headers.get('idempotent-replayed')).toBe('true')
        for (const name of ['x-receipt-id', 'x-receipt-token', 'payment-response', 'x-catalog-version', 'content-type']) {
          expect(again.headers.get(name), name).toBe(first.headers.get(name))
        }
      }
    }
    const changed = chat(`Replay ${marker}!`)
    expect((await post({ url, body: changed, key })).status).toBe(409)
    const refused = await post({ url, body: changed, key, payment })
    expect(refused.status).toBe(409)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(await refused.json()).toMatchObject({ error: { code: 'idempotency_key_reused', charged: 'no', retryable: false } })
    const stranger = await fundWallet(stack, 1)
    const foreign = await quoteAndSign(stranger, { url, body, key })
    expect((await post({ url, body, key, payment: foreign })).status).toBe(409)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(before.length)
    expect(await callsWith(stack, marker)).toHaveLength(1)
  })

  it('runs once and is paid once when 20 copies arrive together over two gateways', async () => {
    const marker = randomUUID()
    const body = chat(`Copies ${marker}`)
    const key = randomUUID()
    const payment = await quoteAndSign(wallet, { url, body, key })
    const before = await transfersToSeller(stack, wallet.address)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, copy) =>
        post({ url: `${stack.gateways[copy % 2]}/v1/chat/completions`, body, key, payment }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const texts = new Set(await Promise.all(responses.map((response) => response.text())))
    expect(texts.size).toBe(1)
    expect(new Set(responses.map(({ headers }) => headers.get('x-receipt-id'))).size).toBe(1)
    expect(await callsWith(stack, marker)).toHaveLength(1)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(before.length + 1)
  })

  it('is never paid for by a signature that belongs to another request, under the same or another key', async () => {
    const body = chat(`Owner ${randomUUID()}`)
    const key = randomUUID()
    const payment = await quoteAndSign(wallet, { url, body, key })
    expect((await post({ url, body, key, payment })).status).toBe(200)
    const other = chat(`Thief ${randomUUID()}`)
    const otherKey = randomUUID()
    expect((await post({ url, body: other, key: otherKey })).status).toBe(402)
    const refused = await post({ url, body: other, key: otherKey, payment })
    expect(refused.status).toBe(402)
    expect(refused.headers.get('PAYMENT-REQUIRED')).toBeTruthy()
    expect(await refused.json()).toMatchObject({ code: 'payment_already_used', charged: 'no' })
  })

  it('works for the official openai client with its default retries around the official paying fetch', async () => {
    const marker = randomUUID()
    const paying = payingFetch(wallet)
    const client = new OpenAI({ apiKey: 'unused', baseURL: `${stack.baseUrl}/v1`, fetch: paying })
    const completion = await client.chat.completions.create(
      {
        model: 'gm-3.5-flash',
        messages: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: `Client ${marker}` },
        ],
        max_completion_tokens: 100,
      },
      { headers: { 'x-idempotency-key': randomUUID() } },
    )
    expect(completion.choices[0]?.message.content).toContain(marker)
    expect(completion.choices[0]?.finish_reason).toBe('stop')
    expect(await callsWith(stack, marker)).toHaveLength(1)
  })

  it('serves every text model under its public name', async () => {
    const { data } = (await (await fetch(`${stack.baseUrl}/v1/models`)).json()) as { data: { id: string; category: string }[] }
    const textModels = data.filter(({ category }) => category === 'text_generation')
    expect(textModels).toHaveLength(7)
    for (const { id } of textModels) {
      const body = chat(`Model ${id}`, { model: id, max_tokens: 200 })
      const key = randomUUID()
      const paid = await post({ url, body, key, payment: await quoteAndSign(wallet, { url, body, key }) })
      const answer = await paid.text()
      expect(paid.status, `${id}: ${answer}`).toBe(200)
      expect(JSON.parse(answer)).toMatchObject({ model: id })
      expect(answer).not.toContain('gemini')
    }
  })
})
