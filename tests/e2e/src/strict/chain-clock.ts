import { connectChain } from '@turnpike/local'
import { callsWith, clearFaults, HELD_MS, post, setFaults, transfersToSeller, until } from '@turnpike/testing'
import { afterEach, expect, it } from 'vitest'
import { resigned } from '../authorizations.ts'
import { expectFailure } from '../error-answer.ts'
import { signed } from '../walk-failure.ts'
import { expectPaid, expectStrict, isCalled, type StrictStack, whileStopped } from './strict-stack.ts'

/** The last of all: the chain's clock goes ahead, and never back. */
export function describeChainClock(strict: () => StrictStack): void {
  afterEach(() => clearFaults(strict().stack))

  it('an authorization that runs out while its settlement is undecided is 503 until the chain has passed its end, then 402', async () => {
    const { stack, processes } = strict()
    const attempt = await strict().attempt()
    const payment = await signed(attempt)
    await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: attempt.marker } }])
    const first = post({ ...attempt, payment })
    await isCalled(attempt)
    const unpaid = { status: 402, code: 'settlement_failed', charged: 'no', retryable: false } as const
    await whileStopped(processes('facilitator'), async () => {
      await clearFaults(stack)
      await expectStrict(await first, 'settlement_pending')
      const chain = connectChain(stack.chain.rpcUrl)
      await chain.increaseTime({ seconds: 400 })
      await chain.mine({ blocks: 1 })
      const decided = await until('the end of the authorization', async () => {
        const response = await post(attempt)
        if (response.status === 402) return response
        await expectStrict(response, 'settlement_pending')
        return undefined
      })
      await expectFailure(decided, unpaid, strict().dialect)
    })
    await until('admission opens', async () => (await fetch(`${stack.baseUrl}/readyz`)).ok)
    expect(await transfersToSeller(stack, attempt.wallet.address)).toEqual([])
    const validBefore = String(Math.floor(Date.now() / 1000) + 1_800)
    await expectPaid(attempt, await resigned(attempt.wallet, await signed(attempt), { validBefore }))
    expect(await callsWith(stack, attempt.marker)).toHaveLength(1)
  })
}
