import { openFacilitatorClient } from '@turnpike/payments'
import { HTTPFacilitatorClient } from '@x402/core/http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import { PAY_TO, type SignedPayment, signPayment } from './testing/signed-payment.ts'

let chain: LocalChain
let facilitator: OpenFacilitator
let official: HTTPFacilitatorClient

beforeAll(async () => {
  chain = await startLocalChain()
  facilitator = await openFacilitator(chain.url, await chain.newSigner())
  official = new HTTPFacilitatorClient({ url: facilitator.url })
})

afterAll(async () => {
  await facilitator?.close()
  await chain?.stop()
})

async function post(path: string, body: unknown, contentType = 'application/json'): Promise<[number, unknown]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${facilitator.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: text,
  })
  return [response.status, await response.json()]
}

function bodyOf({ payload, requirements }: SignedPayment) {
  return { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements }
}

describe('the official client', () => {
  it('lists, verifies and settles without a change', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    expect(await official.getSupported()).toEqual({
      kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
      extensions: [],
      signers: { 'eip155:*': [facilitator.signer] },
    })
    const payer = payment.payload.payload.authorization as { from: string }
    expect(await official.verify(payment.payload, payment.requirements)).toEqual({ isValid: true, payer: payer.from })
    const settled = await official.settle(payment.payload, payment.requirements)
    expect(settled).toMatchObject({ success: true, network: 'eip155:8453', payer: payer.from })
    expect(settled.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('reads our refusals', async () => {
    const payment = await signPayment(await chain.newPayer(0.001))
    const invalidReason = 'invalid_exact_evm_insufficient_balance'
    expect(await official.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: false, invalidReason })
    const settled = await official.settle(payment.payload, payment.requirements)
    expect(settled).toMatchObject({ success: false, errorReason: invalidReason, transaction: '' })
  })
})

describe('verify', () => {
  it.each<[string, (payment: SignedPayment) => SignedPayment, string]>([
    [
      'an amount that was not signed',
      (payment) => ({ ...payment, requirements: { ...payment.requirements, amount: '1' } }),
      'value_mismatch',
    ],
    [
      'a recipient that was not signed',
      (payment) => ({ ...payment, requirements: { ...payment.requirements, payTo: payment.payer } }),
      'recipient_mismatch',
    ],
    [
      'a token’s name that is another',
      (payment) => ({ ...payment, requirements: { ...payment.requirements, extra: { name: 'USDC', version: '2' } } }),
      'signature',
    ],
    [
      'no token’s name',
      (payment) => ({ ...payment, requirements: { ...payment.requirements, extra: {} } }),
      'missing_eip712_domain',
    ],
  ])('rejects %s', async (_title, change, reason) => {
    const payment = change(await signPayment(await chain.newPayer(1)))
    expect(await facilitator.client.verify(payment)).toMatchObject({ kind: 'rejected', reason: expect.stringContaining(reason) })
    expect((await facilitator.settle(payment)).kind).toBe('refused')
  })

  it('rejects what expires, what was signed by another, and what was used', async () => {
    const payer = await chain.newPayer(1)
    const expiring = await signPayment(payer, { validBefore: Math.floor(Date.now() / 1000) + 2 })
    expect(await facilitator.client.verify(expiring)).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('valid_before'),
    })
    const stranger = await signPayment(await chain.newPayer(1))
    const stolen = stranger.payload.payload.signature as `0x${string}`
    const forged = await signPayment(payer, { signature: stolen })
    expect(await facilitator.client.verify(forged)).toMatchObject({ kind: 'rejected', reason: 'invalid_exact_evm_signature' })
    const used = await signPayment(payer)
    await facilitator.settle(used)
    expect(await facilitator.client.verify(used)).toMatchObject({
      kind: 'rejected',
      reason: 'invalid_exact_evm_nonce_already_used',
    })
  })

  it('tells nothing of the call in its messages', async () => {
    const payment = await signPayment(await chain.newPayer(0.001))
    const [, body] = await post('/verify', bodyOf(payment))
    expect(JSON.stringify(body)).not.toContain((payment.payload.payload.signature as string).slice(2, 40))
  })

  it('takes a 65-byte signature of an account with code to that code', async () => {
    const payer = await chain.newPayer(1)
    const payment = await signPayment(payer)
    await chain.anvil.setCode({ address: payer.address, bytecode: '0x600060005260206000f3' })
    expect(await facilitator.client.verify(payment)).toMatchObject({ kind: 'rejected', reason: 'invalid_exact_evm_signature' })
  })
})

describe('a request that is no payment', () => {
  it.each([
    ['no body', '', 400],
    ['broken JSON', '{"paymentPayload":', 400],
    ['JSON that is no object', '[1]', 400],
    ['half a request', { paymentPayload: {} }, 400],
    ['too much', { paymentPayload: 'x'.repeat(200_000) }, 413],
  ])('is a clean client error: %s', async (_title, body, status) => {
    for (const path of ['/verify', '/settle']) {
      const [got, answer] = await post(path, body)
      expect(got).toBe(status)
      expect(answer).toEqual({ error: expect.any(String) })
    }
  })

  it('is a clean client error with another content type', async () => {
    expect((await post('/settle', bodyOf(await signPayment(await chain.newPayer(1))), 'text/plain'))[0]).toBe(400)
  })

  it.each<[string, (body: ReturnType<typeof bodyOf>) => unknown, string]>([
    ['version 1', (body) => ({ ...body, paymentPayload: { ...body.paymentPayload, x402Version: 1 } }), 'invalid_x402_version'],
    [
      'another scheme',
      (body) => ({ ...body, paymentRequirements: { ...body.paymentRequirements, scheme: 'upto' } }),
      'unsupported_scheme',
    ],
    [
      'another network',
      (body) => ({ ...body, paymentRequirements: { ...body.paymentRequirements, network: 'eip155:1' } }),
      'invalid_network',
    ],
    [
      'another asset',
      (body) => ({ ...body, paymentRequirements: { ...body.paymentRequirements, asset: body.paymentRequirements.payTo } }),
      'invalid_payment_requirements',
    ],
    [
      'an amount that is no number',
      (body) => ({ ...body, paymentRequirements: { ...body.paymentRequirements, amount: '0x1' } }),
      'invalid_payment_requirements',
    ],
    ['requirements that are a list', (body) => ({ ...body, paymentRequirements: [] }), 'invalid_payment_requirements'],
    [
      'a Permit2 payment',
      (body) => ({ ...body, paymentPayload: { ...body.paymentPayload, payload: { permit2Authorization: {}, signature: '0x' } } }),
      'unsupported_payload_type',
    ],
    [
      'a payment without authorization',
      (body) => ({ ...body, paymentPayload: { ...body.paymentPayload, payload: { signature: '0x11' } } }),
      'invalid_payload',
    ],
    [
      'a payload that is text',
      (body) => ({ ...body, paymentPayload: { ...body.paymentPayload, payload: 'x' } }),
      'unsupported_payload_type',
    ],
  ])('is invalid by name: %s', async (_title, change, reason) => {
    const body = change(bodyOf(await signPayment(await chain.newPayer(1))))
    expect(await post('/verify', body)).toEqual([
      200,
      { isValid: false, invalidReason: reason, invalidMessage: expect.any(String) },
    ])
    const [status, answer] = await post('/settle', body)
    expect(status).toBe(200)
    expect(answer).toMatchObject({ success: false, errorReason: reason, transaction: '', network: 'eip155:8453' })
  })

  it('finds no other route', async () => {
    expect((await fetch(`${facilitator.url}/admin`)).status).toBe(404)
  })
})

describe('a facilitator that is reserved', () => {
  const token = 'a-token-of-the-test'
  let reserved: OpenFacilitator
  beforeAll(async () => {
    reserved = await openFacilitator(chain.url, await chain.newSigner(), { payTo: [PAY_TO.toLowerCase()], token: [token] })
  })
  afterAll(() => reserved?.close())

  const clientWith = (headers: Record<string, string>) => {
    const client = openFacilitatorClient({ url: reserved.url, timeoutMs: 60_000, headers })
    onTestFinished(() => client.close())
    return client
  }
  const known = { authorization: `Bearer ${token}` }

  it('for one recipient pays nobody else’s gas, and says so without sending anything', async () => {
    const client = clientWith(known)
    const own = await signPayment(await chain.newPayer(1))
    const payer = await chain.newPayer(1)
    const another = await signPayment(payer, { to: payer.address })
    const requirements = { ...another.requirements, payTo: payer.address }
    const foreign = { ...another, requirements, payload: { ...another.payload, accepted: requirements } }
    const before = await chain.anvil.getTransactionCount({ address: reserved.signer })
    expect(await client.verify(foreign)).toMatchObject({ kind: 'rejected', reason: 'invalid_payment_requirements' })
    expect(await client.settle(foreign)).toMatchObject({ kind: 'unknown', reason: 'invalid_payment_requirements' })
    // Whoever names our recipient and signs for another does not get further either.
    expect(await client.settle(another)).toMatchObject({ kind: 'refused' })
    expect(await chain.anvil.getTransactionCount({ address: reserved.signer })).toBe(before)
    expect(await client.settle(own)).toMatchObject({ kind: 'settled' })
  })

  it.each<Record<string, string>[]>([[{}], [{ authorization: 'Bearer a-token-of-the-tesT' }], [{ authorization: token }]])(
    'for those with its token answers nobody else: %o',
    async (headers) => {
      const payment = await signPayment(await chain.newPayer(1))
      const client = clientWith(headers)
      expect(await client.verify(payment)).toMatchObject({ kind: 'unavailable' })
      expect(await client.settle(payment)).toMatchObject({ kind: 'unknown' })
      expect(await client.supported()).toMatchObject({ kind: 'unavailable' })
      const answer = await fetch(`${reserved.url}/settle`, { method: 'POST', body: '{"broken', headers })
      expect([answer.status, answer.headers.get('www-authenticate'), await answer.json()]).toEqual([
        401,
        'Bearer',
        { error: 'unauthorized' },
      ])
    },
  )

  it('answers who knows its token', async () => {
    expect(await clientWith(known).supported()).toMatchObject({ kind: 'supported' })
  })
})

describe('without a chain', () => {
  it('calls itself unavailable, and no good payment invalid', async () => {
    const lost = await openFacilitator('http://127.0.0.1:9', await chain.newSigner(), { chainRpcTimeoutMs: 500 })
    try {
      const payment = await signPayment(await chain.newPayer(1))
      expect(await lost.client.verify(payment)).toMatchObject({ kind: 'unavailable', why: 'http_status' })
      expect(await lost.settle(payment)).toMatchObject({ kind: 'unknown', why: 'http_status' })
      await expect(lost.running.checks.chain?.()).rejects.toThrow()
    } finally {
      await lost.close()
    }
  })
})
