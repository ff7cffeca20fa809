import { EXAMPLES, type PaidEndpoint } from '@turnpike/contracts'
import { fundWallet } from '@turnpike/local'
import { post } from '@turnpike/testing'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { describe, expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${stack.baseUrl}${path}`, { headers })

describe('GET /v1/balance', () => {
  it('says what a wallet holds on the chain at this moment', async () => {
    const wallet = await fundWallet(stack, 12.34)
    const answer = await get(`/v1/balance?address=${wallet.address}`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      object: 'wallet_balance',
      network: 'eip155:8453',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      currency: 'USDC',
      wallet: wallet.address,
      balance_usdc_atomic: '12340000',
      balance_usdc: '12.34',
    })
  })

  it('knows an address that never held anything, in either spelling', async () => {
    const answer = await get(`/v1/balance?address=0x${'AB'.repeat(20)}`)
    expect(await answer.json()).toMatchObject({ wallet: `0x${'AB'.repeat(20)}`, balance_usdc_atomic: '0', balance_usdc: '0' })
  })

  it.each([
    ['', 'missing_required_field'],
    ['?addr=0x1', 'missing_required_field'],
    ['?address=', 'invalid_value'],
    ['?address=0x12', 'invalid_value'],
    [`?address=0x${'g'.repeat(40)}`, 'invalid_value'],
    [`?address=0x${'a'.repeat(40)}&address=0x${'b'.repeat(40)}`, 'invalid_value'],
    [`?address=0X${'a'.repeat(40)}`, 'invalid_value'],
  ])('answers 400 to %s', async (query, code) => {
    const answer = await get(`/v1/balance${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code, param: 'address', charged: 'no' } })
  })
})

describe('a page in a browser', () => {
  it.each(['/v1/chat/completions', '/v1/models', '/v1/receipts/x'])('may send payment headers to %s', async (path) => {
    const asked = 'content-type,payment-signature,x-idempotency-key,access-control-expose-headers'
    const answer = await fetch(`${stack.baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.test', 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toBe(asked)
    expect(answer.headers.get('access-control-max-age')).toBe('86400')
  })

  it('may read the challenge of an unpaid request', async () => {
    const answer = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { origin: 'https://page.test' },
    })
    expect(answer.status).toBe(402)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED')
  })
})

describe('POST /v1/quote', () => {
  it.each(Object.keys(EXAMPLES) as PaidEndpoint[])('names the amount that the challenge of %s then asks for', async (path) => {
    const { request } = EXAMPLES[path]
    const quoted = await post({ url: `${stack.baseUrl}/v1/quote`, body: { endpoint: path, request } })
    expect(quoted.status).toBe(200)
    const { payment_requirements: required } = (await quoted.json()) as { payment_requirements: object }
    const challenge = await post({ url: `${stack.baseUrl}${path}`, body: request })
    expect(decodePaymentRequiredHeader(challenge.headers.get('PAYMENT-REQUIRED') ?? '').accepts).toEqual([required])
  })
})
