import { findSettlement } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import { openRefusingNode, type RefusingNode } from './testing/refusing-node.ts'
import { PAY_TO, PRICE, type SignedPayment, signPayment } from './testing/signed-payment.ts'

let chain: LocalChain
let node: RefusingNode
let facilitator: OpenFacilitator

beforeAll(async () => {
  chain = await startLocalChain()
  node = await openRefusingNode(chain.url)
  facilitator = await openFacilitator(node.url, await chain.newSigner(), { stuckAfterMs: 100 })
})

afterEach(() => {
  node.refuse = () => undefined
})

afterAll(async () => {
  await facilitator?.close()
  node?.close()
  await chain?.stop()
})

/** What a node says to every transaction that carries this payment. */
function refuseWith(message: string, { nonce }: SignedPayment): void {
  node.refuse = ({ method, params }) =>
    method === 'eth_sendRawTransaction' && String(params[0]).includes(nonce.slice(2)) ? message : undefined
}

function onChain({ payer, nonce }: SignedPayment) {
  return findSettlement(chain.rpc, { payer, nonce, payTo: PAY_TO, amountAtomic: PRICE, confirmations: 1, fromBlock: 0n })
}

describe('a transaction that no node takes', () => {
  it('for what it is, is given up at once, and the next one goes out', async () => {
    const [refused, next] = [await signPayment(await chain.newPayer(1)), await signPayment(await chain.newPayer(1))]
    refuseWith('exceeds block gas limit', refused)
    const results = [facilitator.settle(refused), facilitator.settle(next)] as const
    expect(await results[0]).toMatchObject({ kind: 'unknown', why: 'not_settled', transaction: undefined })
    expect((await results[1]).kind).toBe('settled')
    expect((await onChain(refused)).kind).toBe('unused')
    node.refuse = () => undefined
    expect((await facilitator.settle(refused)).kind).toBe('settled')
  })

  it('for words that nobody knows, is not waited for without end: its payment stays open, the account goes on', async () => {
    const [refused, next] = [await signPayment(await chain.newPayer(1)), await signPayment(await chain.newPayer(1))]
    refuseWith('a rule of tomorrow', refused)
    const results = [facilitator.settle(refused), facilitator.settle(next)] as const
    expect(await results[0]).toMatchObject({
      kind: 'unknown',
      reason: 'settlement_pending',
      transaction: expect.stringMatching(/^0x/),
    })
    expect((await results[1]).kind).toBe('settled')
    node.refuse = () => undefined
    expect((await facilitator.settle(refused)).kind).toBe('settled')
  })

  it('although it did, is found in the end: a lost answer sends nothing twice', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    await chain.anvil.setAutomine(false)
    let taken = 0
    node.refuse = ({ method, params }) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      // It reaches the pool, and the sender hears something else.
      if (taken === 0) void chain.anvil.sendRawTransaction({ serializedTransaction: params[0] as `0x${string}` })
      taken += 1
      return 'upstream request timeout'
    }
    const result = facilitator.settle(payment)
    await until('many attempts', async () => taken >= 12 && (await chain.anvil.getTxpoolStatus()).pending === 1)
    await chain.anvil.mine({ blocks: 1 })
    await chain.anvil.setAutomine(true)
    expect((await result).kind).toBe('settled')
    expect(await chain.anvil.getTransactionCount({ address: facilitator.signer })).toBe(5)
  })
})
