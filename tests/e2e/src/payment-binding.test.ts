import { randomUUID } from 'node:crypto'
import { callsWith, chat, clearFaults, post, setFaults, transfersToSeller } from '@turnpike/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { resigned } from './authorizations.ts'
import { contractWallet, newKey } from './contract-wallet.ts'
import { expectFailure } from './error-answer.ts'
import { flushRedis } from './flush-redis.ts'
import { stackNow } from './stack-under-test.ts'
import { type Attempt, attemptOf, signed } from './walk-failure.ts'

const stack = stackNow()
const urls = stack.gateways.map((gateway) => `${gateway}/v1/chat/completions`)
const [first] = urls as [string]
const USED = { status: 402, code: 'payment_already_used', charged: 'no', retryable: false } as const
const REUSED = { status: 409, code: 'idempotency_key_reused', charged: 'no', retryable: false } as const
const FORGED = { status: 402, code: 'payment_signature_invalid', charged: 'no', retryable: false } as const

afterEach(() => clearFaults(stack))

function another(attempt: Attempt, fields: Partial<Attempt> = {}): Attempt {
  const marker = randomUUID()
  return { ...attempt, key: randomUUID(), marker, body: chat(`Another ${marker}`), ...fields }
}

/** On no replica does the payment of `attempt` pay for anything else, under its key or under another. */
async function expectBound(attempt: Attempt, payment: string): Promise<void> {
  for (const url of urls) {
    const elsewhere = another(attempt, { url })
    await expectFailure(await post({ ...elsewhere, payment }), USED)
    await expectFailure(await post({ ...another(attempt, { url, key: attempt.key }), payment }), REUSED)
    await expectFailure(await post({ ...another(attempt, { url, body: attempt.body }), payment }), USED)
    expect(await callsWith(stack, elsewhere.marker)).toEqual([])
  }
}

describe('a payment belongs to the first request that it arrived with', () => {
  it.each([
    ['was settled', undefined, 1],
    ['failed for sure, so its authorization is unused', 'status-500', 1],
    ['ended nobody knows how', 'reset-before-response', 0],
  ] as const)('also when that request %s, and Redis has lost everything', async (_title, kind, transfers) => {
    const attempt = await attemptOf(stack, first, {})
    const payment = await signed(attempt)
    if (kind !== undefined) await setFaults(stack, [{ upstream: 'gemini', kind, match: { bodyIncludes: attempt.marker } }])
    const answer = await post({ ...attempt, payment })
    expect(answer.status).toBe(kind === undefined ? 200 : 503)
    await clearFaults(stack)
    await expectBound(attempt, payment)
    await flushRedis(stack)
    await expectBound(attempt, payment)

    const again = await post({ ...attempt, payment })
    expect(again.status).toBe(transfers === 1 ? 200 : 503)
    expect(await transfersToSeller(stack, attempt.wallet.address)).toHaveLength(transfers)
  })

  it('pays one of twenty requests that bring it at once, whichever replica they reach', async () => {
    const attempt = await attemptOf(stack, first, {})
    const payment = await signed(attempt)
    const requests = Array.from({ length: 20 }, (_, index) => another(attempt, { url: urls[index % urls.length] ?? first }))
    const answers = await Promise.all(requests.map((request) => post({ ...request, payment })))
    const paid = answers.filter(({ status }) => status === 200)
    expect(paid).toHaveLength(1)
    await Promise.all(answers.filter((answer) => answer.status !== 200).map((answer) => expectFailure(answer, USED)))
    const calls = await Promise.all(requests.map(({ marker }) => callsWith(stack, marker)))
    expect(calls.flat()).toHaveLength(1)
    expect(await transfersToSeller(stack, attempt.wallet.address)).toHaveLength(1)
  })

  it('is taken with just enough time left, and not with a few seconds less', async () => {
    const attempt = await attemptOf(stack, first, {})
    const header = await signed(attempt)
    const nowS = Math.floor(Date.now() / 1000)
    // 64 tokens: the model has 61 s, and settlement 30 s after them.
    const short = await resigned(attempt.wallet, header, { validBefore: String(nowS + 88) })
    const tooSoon = { status: 402, code: 'authorization_expires_too_soon', charged: 'no', retryable: false } as const
    await expectFailure(await post({ ...attempt, payment: short }), tooSoon)
    expect(await callsWith(stack, attempt.marker)).toEqual([])
    const enough = await resigned(attempt.wallet, header, { validBefore: String(nowS + 101) })
    expect((await post({ ...attempt, payment: enough })).status).toBe(200)
  })
})

describe('a wallet that is a contract (ERC-1271)', () => {
  it('pays with the signature of its owner, once, and collects its result again with a new one', async () => {
    const attempt = await attemptOf(stack, first, {})
    const wallet = await contractWallet(stack, 2_000n)
    const quoted = await signed(attempt)
    const forged = await wallet.sign(quoted, newKey())
    await expectFailure(await post({ ...attempt, payment: forged }), FORGED)
    expect(await callsWith(stack, attempt.marker)).toEqual([])

    const payment = await wallet.sign(quoted)
    const paid = await post({ ...attempt, payment })
    const text = await paid.text()
    expect(paid.status, text).toBe(200)
    expect(text).toContain(attempt.marker)
    const anew = await wallet.sign(await signed(attempt))
    for (const url of urls) {
      for (const signature of [payment, anew]) {
        const again = await post({ ...attempt, url, payment: signature })
        expect(await again.text()).toBe(text)
        expect(again.headers.get('idempotent-replayed')).toBe('true')
      }
      await expectFailure(await post({ ...attempt, url, payment: forged }), FORGED)
    }
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
    expect(await callsWith(stack, attempt.marker)).toHaveLength(1)
  })
})
