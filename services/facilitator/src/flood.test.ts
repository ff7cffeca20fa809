import { until } from '@turnpike/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import { openRefusingNode, type RefusingNode } from './testing/refusing-node.ts'
import { type SignedPayment, signPayment } from './testing/signed-payment.ts'

let chain: LocalChain
let node: RefusingNode
let facilitator: OpenFacilitator

beforeAll(async () => {
  chain = await startLocalChain()
  node = await openRefusingNode(chain.url)
  facilitator = await openFacilitator(node.url, await chain.newSigner(), { maxVerifying: 2, maxWaitingVerifications: 3 })
})

afterAll(async () => {
  await facilitator?.close()
  node?.close()
  await chain?.stop()
})

async function post(path: string, { payload, requirements }: SignedPayment): Promise<number> {
  const body = JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements: requirements })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${facilitator.url}${path}`, { method: 'POST', headers, body })).status
}

it.each(['/verify', '/settle'])(
  'asks the node for few payments at a time, lets few wait, and says so to the others: %s',
  async (path) => {
    const payer = await chain.newPayer(1)
    const payments = await Promise.all(Array.from({ length: 10 }, () => signPayment(payer)))
    const gate = Promise.withResolvers<void>()
    node.hold = gate.promise
    node.calls.splice(0)
    const answers: number[] = []
    const all = Promise.all(payments.map(async (payment) => answers.push(await post(path, payment))))
    await until('those that found no place', async () => answers.length === 5)
    expect(answers).toEqual([503, 503, 503, 503, 503])
    // The code of the payer is read once for each that is looked at.
    await until('the first calls', async () => node.calls.length > 0)
    const calls = node.calls.filter((method) => method === 'eth_getCode').length
    expect(calls).toBeLessThanOrEqual(4)
    gate.resolve()
    node.hold = undefined
    await all
    expect(answers.filter((status) => status === 200)).toHaveLength(5)
  },
)

it('does not count settlements that wait for their block', async () => {
  await chain.anvil.setAutomine(false)
  try {
    const payments = await Promise.all(Array.from({ length: 8 }, async () => signPayment(await chain.newPayer(1))))
    const results: ReturnType<typeof facilitator.settle>[] = []
    for (const [index, payment] of payments.entries()) {
      results.push(facilitator.settle(payment))
      // The first is in the pool, the others behind it in the queue.
      if (index === 0) await until('the pool', async () => (await chain.anvil.getTxpoolStatus()).pending === 1)
      else await until('the queue', async () => (await facilitator.waiting()) === index)
    }
    await chain.anvil.setAutomine(true)
    await chain.anvil.mine({ blocks: 1 })
    expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => 'settled'))
  } finally {
    await chain.anvil.setAutomine(true)
  }
})
