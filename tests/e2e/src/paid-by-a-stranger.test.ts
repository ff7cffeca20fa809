import { randomUUID } from 'node:crypto'
import { fundWallet } from '@turnpike/local'
import { callsWith, chat, clearFaults, post, quoteAndSign, setFaults, transfersToSeller } from '@turnpike/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { afterEach, expect, it } from 'vitest'
import { sendAsStranger } from './authorizations.ts'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`
afterEach(() => clearFaults(stack))

it('a transfer that a stranger submits after a definite failure pays for the request: the same signature gets its result', async () => {
  const wallet = await fundWallet(stack, 0.002)
  const marker = randomUUID()
  const call = { url, body: chat(`Paid by a stranger ${marker}`), key: randomUUID() }
  await setFaults(stack, [{ upstream: 'gemini', match: { bodyIncludes: marker }, kind: 'status-500' }])
  const payment = await quoteAndSign(wallet, call)
  expect((await post({ ...call, payment })).status).toBe(503)
  await clearFaults(stack)
  const transaction = await sendAsStranger(stack, payment)

  const paid = await post({ ...call, payment })
  expect(paid.status).toBe(200)
  expect(await paid.text()).toContain(marker)
  expect(decodePaymentResponseHeader(paid.headers.get('PAYMENT-RESPONSE') ?? '').transaction).toBe(transaction)
  expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
})

it('a settled signature that arrives for the first time buys nothing: it is public, and whose it is cannot be told', async () => {
  const wallet = await fundWallet(stack, 1)
  const marker = randomUUID()
  const call = { url, body: chat(`Found on the chain ${marker}`), key: randomUUID() }
  const payment = await quoteAndSign(wallet, call)
  await sendAsStranger(stack, payment)
  const refused = await post({ ...call, payment })
  expect(refused.status).toBe(402)
  expect(await refused.json()).toMatchObject({ code: 'payment_already_used', charged: 'no' })
  expect(await callsWith(stack, marker)).toEqual([])
})
