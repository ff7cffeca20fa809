import { connectChain, fundWallet, mintUsdc } from '@turnpike/local'
import { post } from '@turnpike/testing'
import { describe, expect, it } from 'vitest'
import { PATHS } from '../dialects.ts'
import { signed } from '../walk-failure.ts'
import type { Behaviour } from './safety-service.ts'
import { expectNothingDone, expectPaid, expectStrict, expectStrictThroughClient, type StrictStack } from './strict-stack.ts'

export function describeSafety(strict: () => StrictStack): void {
  describe('safety checks of the operator', () => {
    it('refuse a payer on the deny list, however it is spelled, without asking anybody', async () => {
      const { denied, safety } = strict()
      const attempt = { ...(await strict().attempt()), wallet: denied }
      await mintUsdc(connectChain(attempt.stack.chain.rpcUrl), denied.address, 1_000_000n)
      const payment = await signed(attempt)
      await expectStrict(await post({ ...attempt, payment }), 'refused_by_policy')
      await expectStrictThroughClient(attempt, 'refused_by_policy')
      await expectNothingDone(attempt)
      expect(safety.asked(attempt.marker)).toEqual([])
      expect(safety.asked(denied.address.toLowerCase())).toEqual([])
    })

    it('see what they decide on and no more, and only what is paid for', async () => {
      const { safety } = strict()
      const attempt = await strict().attempt()
      const payment = await signed(attempt)
      expect(safety.asked(attempt.marker)).toEqual([])
      await expectPaid(attempt, payment)
      expect(safety.asked(attempt.wallet.address.toLowerCase())).toEqual([
        { path: '/screening', question: { payer: attempt.wallet.address.toLowerCase() } },
      ])
      const request = expect.objectContaining(attempt.body)
      const question = { endpoint: PATHS[strict().dialect], model: 'gm-2.5-flash-lite', request }
      expect(safety.asked(attempt.marker)).toEqual([{ path: '/moderation', question }])
      expect(JSON.stringify(safety.asked(attempt.marker))).not.toContain(attempt.key)
    })

    for (const check of ['screening', 'moderation'] as const) {
      it(`refuse by ${check}: nothing runs, nothing is charged, another payer or prompt is served`, async () => {
        const { safety } = strict()
        const attempt = await strict().attempt()
        const subject = check === 'screening' ? attempt.wallet.address.toLowerCase() : attempt.marker
        const payment = await signed(attempt)
        safety.when(subject, 'refuse')
        await expectStrict(await post({ ...attempt, payment }), 'refused_by_policy')
        await expectStrictThroughClient(attempt, 'refused_by_policy')
        await expectNothingDone(attempt)
        const other = await strict().attempt()
        await expectPaid(other, await signed(other))
        safety.when(subject, undefined)
        await expectPaid(attempt, payment)
      })

      const failing: Behaviour[] = ['hang', 'reset', 'no JSON', 'a 500 that allows', 'allowed as text', 'nothing about it']
      it.each(failing)(`fail closed when ${check} answers with: %s`, async (behaviour) => {
        const { safety } = strict()
        const attempt = await strict().attempt()
        const subject = check === 'screening' ? attempt.wallet.address.toLowerCase() : attempt.marker
        const payment = await signed(attempt)
        safety.when(subject, behaviour)
        await expectStrict(await post({ ...attempt, payment }), 'safety_unavailable')
        if (behaviour === 'reset') await expectStrictThroughClient(attempt, 'safety_unavailable')
        await expectNothingDone(attempt)
        safety.when(subject, undefined)
        await expectPaid(attempt, payment)
      })
    }

    it('are not asked again for a replay', async () => {
      const { safety } = strict()
      const attempt = await strict().attempt()
      const payment = await signed(attempt)
      await expectPaid(attempt, payment)
      safety.when(attempt.marker, 'refuse')
      await expectPaid(attempt, payment)
      const stranger = { ...attempt, wallet: await fundWallet(attempt.stack, 1) }
      expect((await post({ ...attempt, payment: await signed(stranger) })).status).toBe(409)
      expect(safety.asked(attempt.marker)).toHaveLength(1)
    })
  })
}
