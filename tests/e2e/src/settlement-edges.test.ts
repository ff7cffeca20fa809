import { randomUUID } from 'node:crypto'
import { connectChain, fundWallet, mintUsdc } from '@turnpike/local'
import { callsWith, chat, clearFaults, HELD_MS, post, quoteAndSign, transfersToSeller } from '@turnpike/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { afterEach, describe, expect, it } from 'vitest'
import { cancel, moveAway, payItself, sendAsStranger } from './authorizations.ts'
import { expectFailure } from './error-answer.ts'
import { stackNow } from './stack-under-test.ts'
import { type Attempt, attemptOf, signed, topUp, under } from './walk-failure.ts'

const stack = stackNow()
const [first, second] = stack.gateways.map((gateway) => `${gateway}/v1/chat/completions`) as [string, string]
const UNPAID = { status: 402, code: 'settlement_failed', charged: 'no', retryable: false } as const
const USED = { status: 402, code: 'payment_already_used', charged: 'no', retryable: false } as const
const REUSED = { status: 409, code: 'idempotency_key_reused', charged: 'no', retryable: false } as const
const POOR = { status: 402, code: 'insufficient_funds', charged: 'no', retryable: false } as const

afterEach(() => clearFaults(stack))

/** Sends a signed request; `during` happens while the model works on it. */
async function whileWorking(
  usdc: number,
  during: (attempt: Attempt, payment: string) => Promise<unknown>,
): Promise<{ attempt: Attempt; payment: string; response: Response }> {
  const attempt = await attemptOf(stack, first, { usdc })
  const payment = await signed(attempt)
  const row = {
    fault: { kind: 'latency', ms: HELD_MS },
    during: async () => {
      await during(attempt, payment)
      await clearFaults(stack)
    },
  }
  const response = await under({ ...FILLER, ...row }, attempt, () => post({ ...attempt, payment }))
  return { attempt, payment, response }
}
const FILLER = { condition: '', failure: UNPAID, executed: true, afterwards: 'paid' } as const

const transfersOf = ({ wallet }: Attempt) => transfersToSeller(stack, wallet.address)

/** A fresh signature of the payer releases what was stored, for one transfer and without another call of the model. */
async function expectReleased(attempt: Attempt): Promise<void> {
  const payment = await signed(attempt)
  const copies = await Promise.all([first, second, first].map((url) => post({ ...attempt, url, payment })))
  const texts = await Promise.all(copies.map((copy) => copy.text()))
  expect(
    copies.map(({ status }) => status),
    texts[0],
  ).toEqual([200, 200, 200])
  expect(texts[0]).toContain(attempt.marker)
  expect(new Set(texts).size).toBe(1)
  expect(new Set(copies.map(({ headers }) => headers.get('x-receipt-id'))).size).toBe(1)
  expect(await transfersOf(attempt)).toHaveLength(1)
  expect(await callsWith(stack, attempt.marker)).toHaveLength(1)
}

describe('a balance that is moved away while the model works', () => {
  it('leaves the result waiting: for its payer alone, for one transfer and no second call', async () => {
    const { attempt, response } = await whileWorking(0.002, ({ wallet }) => moveAway(stack, wallet, 1n))
    const { required } = await expectFailure(response, UNPAID)
    for (const url of [first, second]) {
      const unsigned = await expectFailure(await post({ ...attempt, url }), UNPAID)
      expect(unsigned.required?.accepts).toEqual(required?.accepts)
    }
    expect(await transfersOf(attempt)).toHaveLength(0)
    const stranger = await fundWallet(stack, 1)
    const foreign = await quoteAndSign(stranger, attempt)
    await expectFailure(await post({ ...attempt, payment: foreign }), REUSED)
    expect(await transfersToSeller(stack, stranger.address)).toHaveLength(0)

    await expectFailure(await post({ ...attempt, payment: await signed(attempt) }), POOR)
    await topUp(attempt)
    await expectReleased(attempt)
  })

  it('counts as owed: no more work than the balance covers besides, until it is paid', async () => {
    const { attempt: owed, response } = await whileWorking(0.002, ({ wallet }) => moveAway(stack, wallet, 2_000n))
    await expectFailure(response, UNPAID)
    await mintUsdc(connectChain(stack.chain.rpcUrl), owed.wallet.address, 3_999n)
    const marker = randomUUID()
    const next: Attempt = { ...owed, marker, key: randomUUID(), body: chat(`More work ${marker}`) }
    const payment = await signed(next)
    for (const url of [first, second]) await expectFailure(await post({ ...next, url, payment }), POOR)
    expect(await callsWith(stack, marker)).toEqual([])

    await expectReleased(owed)
    await mintUsdc(connectChain(stack.chain.rpcUrl), owed.wallet.address, 1n)
    expect((await post({ ...next, payment })).status).toBe(200)
    expect(await transfersOf(owed)).toHaveLength(2)
  })
})

describe('a used nonce is not a payment', () => {
  it.each([
    ['the payer pays itself with the nonce', payItself],
    ['the payer cancels the authorization', cancel],
  ])('%s while the model works: not released until it is paid', async (_title, spend) => {
    const { attempt, payment, response } = await whileWorking(1, ({ wallet }, header) => spend(stack, wallet, header))
    await expectFailure(response, UNPAID)
    await expectFailure(await post({ ...attempt }), UNPAID)
    await expectFailure(await post({ ...attempt, url: second, payment }), USED)
    expect(await transfersOf(attempt)).toHaveLength(0)
    await expectReleased(attempt)
  })

  it('and refuses it before any work when it was used before it came', async () => {
    for (const spend of [payItself, cancel]) {
      const attempt = await attemptOf(stack, first, {})
      const payment = await signed(attempt)
      await spend(stack, attempt.wallet, payment)
      await expectFailure(await post({ ...attempt, payment }), USED)
      expect(await callsWith(stack, attempt.marker)).toEqual([])
      expect(await transfersOf(attempt)).toHaveLength(0)
    }
  })
})

describe('the very transfer, sent by a stranger while the model works', () => {
  it('pays: one result, one transfer, one receipt that names it', async () => {
    let theirs: string | undefined
    const { attempt, payment, response } = await whileWorking(1, async (_attempt, header) => {
      theirs = await sendAsStranger(stack, header)
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(attempt.marker)
    const settled = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '')
    expect(settled).toMatchObject({ success: true, transaction: theirs })
    expect((await transfersOf(attempt)).map(({ transaction }) => transaction)).toEqual([theirs])
    const again = await post({ ...attempt, url: second, payment })
    expect(again.headers.get('x-receipt-id')).toBe(response.headers.get('x-receipt-id'))
    const receipt = await fetch(`${stack.baseUrl}/v1/receipts/${response.headers.get('x-receipt-id')}`, {
      headers: { authorization: `Bearer ${response.headers.get('x-receipt-token')}` },
    })
    expect(await receipt.json()).toMatchObject({ payment: { transaction: theirs } })
    expect(await callsWith(stack, attempt.marker)).toHaveLength(1)
  })
})

describe('a result that is paid', () => {
  it('is replayed to a wallet that was emptied since, by the old signature and by a new one', async () => {
    const attempt = await attemptOf(stack, first, { usdc: 0.002 })
    const payment = await signed(attempt)
    const paid = await post({ ...attempt, payment })
    const text = await paid.text()
    expect(paid.status, text).toBe(200)
    const anew = await signed(attempt)
    for (const url of [first, second]) {
      for (const signature of [payment, anew]) {
        const again = await post({ ...attempt, url, payment: signature })
        expect(again.status).toBe(200)
        expect(again.headers.get('idempotent-replayed')).toBe('true')
        expect(await again.text()).toBe(text)
      }
    }
    expect(await transfersOf(attempt)).toHaveLength(1)
    // What proved the payer is no credit: elsewhere it is a payment like any other, and this wallet has nothing to pay with.
    await expectFailure(await post({ ...attempt, key: randomUUID(), payment: anew }), POOR)
  })
})
