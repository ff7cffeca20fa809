import { randomUUID } from 'node:crypto'
import { chat, clearFaults, HELD_MS, post, setFaults, transfersToSeller } from '@turnpike/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type Attempt, signed } from '../walk-failure.ts'
import {
  expectNothingDone,
  expectPaid,
  expectStrict,
  expectStrictThroughClient,
  isCalled,
  LIMITS,
  type StrictStack,
} from './strict-stack.ts'

// 20,000 tokens of this model cost about 8,000 atomic units, 10,000 about 4,000.
const DEAR = { maxTokens: 20_000 } as const
const HALF = { maxTokens: 10_000 } as const

export function describeLimits(strict: () => StrictStack): void {
  const inFlight: Promise<Response>[] = []
  afterEach(async () => {
    await clearFaults(strict().stack)
    await Promise.all(inFlight.splice(0))
  })

  /** Sends it and leaves it with the model, which is slow. */
  async function occupy(attempt: Attempt): Promise<void> {
    const payment = await signed(attempt)
    inFlight.push(post({ ...attempt, payment }))
    await isCalled(attempt)
  }
  const slowly = () => setFaults(strict().stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS }])
  const settled = async () => {
    await clearFaults(strict().stack)
    const answers = await Promise.all(inFlight.splice(0))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }
  const nextOf = (attempt: Attempt, maxTokens: number): Attempt => {
    const marker = randomUUID()
    return { ...attempt, marker, key: randomUUID(), body: chat(`Next ${marker}`, { max_tokens: maxTokens }) }
  }

  describe('the ceiling of unsettled value', () => {
    it('stops a payer without a history at its own, and not once a payment of it has settled', async () => {
      const attempt = await strict().attempt(DEAR)
      const next = nextOf(attempt, HALF.maxTokens)
      const payment = await signed(next)
      await slowly()
      await occupy(attempt)
      await expectStrict(await post({ ...next, payment }), 'exposure_limit')
      await expectStrictThroughClient(next, 'exposure_limit')
      expect(await transfersToSeller(next.stack, next.wallet.address)).toEqual([])
      await settled()
      expect((await post({ ...next, payment })).status).toBe(200)

      await slowly()
      await occupy(nextOf(attempt, DEAR.maxTokens))
      await occupy(nextOf(attempt, DEAR.maxTokens))
      await settled()
      expect(await transfersToSeller(attempt.stack, attempt.wallet.address)).toHaveLength(4)
    })

    it('stops whoever comes when all payers together have reached theirs, until something has settled', async () => {
      const payers = await Promise.all([DEAR, DEAR, DEAR].map((price) => strict().attempt(price)))
      const [first, second, third] = payers as [Attempt, Attempt, Attempt]
      const payment = await signed(third)
      await slowly()
      await occupy(first)
      await occupy(second)
      await expectStrict(await post({ ...third, payment }), 'exposure_limit')
      await expectStrictThroughClient(third, 'exposure_limit')
      await expectNothingDone(third)
      await settled()
      await expectPaid(third, payment)
    })
  })

  describe('the number of requests in work', () => {
    it('closes admission when it is reached: nobody is asked to sign, and who has signed comes back later', async () => {
      const late = await strict().attempt()
      const payment = await signed(late)
      await slowly()
      for (let started = 0; started < LIMITS.maxInFlight; started++) await occupy(await strict().attempt())
      await expectStrict(await post(late), 'overloaded')
      await expectStrict(await post({ ...late, payment }), 'overloaded')
      await expectStrictThroughClient(late, 'overloaded')
      await expectNothingDone(late)
      await settled()
      await expectPaid(late, payment)
    })
  })

  describe('the rate of one client', () => {
    /** The window may turn over once on the way, never twice. */
    async function untilLimited(send: (index: number) => Promise<Response>): Promise<Response> {
      for (let sent = 0; sent <= 2 * LIMITS.requestsPerMinute; sent++) {
        const response = await send(sent)
        if (response.status === 429) return response
        await response.body?.cancel()
      }
      throw new Error('nothing was limited')
    }

    it('is bounded, and says when it may ask again; the signature that it brought stays good', async () => {
      const attempt = await strict().attempt()
      const payment = await signed(attempt)
      const unsigned = await untilLimited(() => post({ ...attempt, body: '{}' }))
      await expectStrict(unsigned, 'rate_limited')
      // It was not looked at, so what became of its payment is not known there.
      await expectStrict(await post({ ...attempt, payment }), 'rate_limited', { charged: 'unknown' })
      await expectNothingDone(attempt)
      const elsewhere = { ...attempt, headers: { 'x-forwarded-for': '192.0.2.77' } }
      await expectPaid(elsewhere, payment)
    })

    it('is that of the address which the trusted proxy saw, whatever a client claims before it', async () => {
      const { url } = strict()
      const from = (address: string) => post({ url, body: '{}', headers: { 'x-forwarded-for': address } })
      await expectStrict(await untilLimited((index) => from(`198.51.100.${index}, 192.0.2.1`)), 'rate_limited')
      await expectStrict(await from('192.0.2.1'), 'rate_limited')
      expect((await from('192.0.2.1, 192.0.2.2')).status).toBe(402)
      await expectStrict(await untilLimited((index) => from(`2001:db8:1:${index.toString(16)}::1`)), 'rate_limited')
      expect((await from('2001:db8:2::1')).status).toBe(402)
    })

    it('does not count the probes of the operator', async () => {
      const probe = (path: string) =>
        fetch(`${strict().stack.baseUrl}${path}`, { headers: { 'x-forwarded-for': '192.0.2.9' } }).then(
          (response) => response.status,
        )
      const statuses = await Promise.all(Array.from({ length: 2 * LIMITS.requestsPerMinute + 1 }, () => probe('/healthz')))
      expect(new Set(statuses)).toEqual(new Set([200]))
    })
  })
}
