import { findSettlement, verifyTransaction } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import { PAY_TO, PRICE, signPayment } from './testing/signed-payment.ts'

const GWEI = 10n ** 9n
let chain: LocalChain
const open: OpenFacilitator[] = []

beforeAll(async () => {
  chain = await startLocalChain()
})

afterEach(async () => {
  await chain.anvil.setAutomine(true)
  await chain.anvil.mine({ blocks: 1 })
  for (const facilitator of open.splice(0)) await facilitator.close()
})

afterAll(async () => {
  await chain?.stop()
})

async function start(
  ...args: Parameters<typeof openFacilitator> extends [string, ...infer Rest] ? Rest : never
): Promise<OpenFacilitator> {
  const facilitator = await openFacilitator(chain.url, ...args)
  open.push(facilitator)
  return facilitator
}

async function inPool(count: number): Promise<void> {
  await until(`${count} in the pool`, async () => (await chain.anvil.getTxpoolStatus()).pending === count)
}

describe('a transaction that is not mined', () => {
  it('is sent again with higher fees, and the answer names the one that was mined', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    const facilitator = await start(await chain.newSigner(), { stuckAfterMs: 150 })
    await chain.anvil.setAutomine(false)
    const result = facilitator.settle(payment)
    await until('two replacements', async () => (await facilitator.replaced()) >= 2)
    await inPool(1)
    await chain.anvil.mine({ blocks: 1 })
    const settled = await result
    if (settled.kind !== 'settled') throw new Error(JSON.stringify(settled))
    const expected = { payer: payment.payer, nonce: payment.nonce, payTo: PAY_TO, amountAtomic: PRICE, confirmations: 1 }
    expect((await verifyTransaction(chain.rpc, settled.transaction, expected)).kind).toBe('settled')
    expect(await chain.anvil.getTransactionCount({ address: facilitator.signer })).toBe(1)
  })

  it('is sent again when the pool has lost it', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    const facilitator = await start(await chain.newSigner(), { stuckAfterMs: 150, maxFeePerGasGwei: 10_000 })
    await chain.anvil.setAutomine(false)
    const result = facilitator.settle(payment)
    await inPool(1)
    const { pending } = await chain.anvil.getTxpoolContent()
    const lost = Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
    for (const hash of lost) await chain.anvil.dropTransaction({ hash })
    await chain.anvil.setAutomine(true)
    expect((await result).kind).toBe('settled')
  })

  it('is answered with settlement_pending past the wait, goes on, and the next call learns how it ended', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    const facilitator = await start(await chain.newSigner(), { answerTimeoutMs: 200 })
    await chain.anvil.setAutomine(false)
    expect(await facilitator.settle(payment)).toMatchObject({ kind: 'unknown', reason: 'settlement_pending' })
    await inPool(1)
    const pending = await facilitator.settle(payment)
    expect(pending).toMatchObject({ kind: 'unknown', reason: 'settlement_pending', transaction: expect.stringMatching(/^0x/) })
    expect((await chain.anvil.getTxpoolStatus()).pending).toBe(1)
    await chain.anvil.mine({ blocks: 1 })
    const settled = await until('the settlement', async () => {
      const result = await facilitator.settle(payment)
      return result.kind === 'settled' ? result : undefined
    })
    expect(settled.transaction).toBe(pending.kind === 'unknown' && pending.transaction)
  })

  it('of an earlier life is waited for', async () => {
    const key = await chain.newSigner()
    const [first, second] = [await signPayment(await chain.newPayer(1)), await signPayment(await chain.newPayer(1))]
    await chain.anvil.setAutomine(false)
    const before = await start(key)
    void before.settle(first)
    await inPool(1)
    // The same account without any memory, as after a kill.
    const after = await start(key)
    const result = after.settle(second)
    await chain.anvil.mine({ blocks: 1 })
    await inPool(1)
    await chain.anvil.mine({ blocks: 1 })
    expect((await result).kind).toBe('settled')
    const expected = {
      payer: first.payer,
      nonce: first.nonce,
      payTo: PAY_TO,
      amountAtomic: PRICE,
      confirmations: 1,
      fromBlock: 0n,
    }
    expect((await findSettlement(chain.rpc, expected)).kind).toBe('settled')
  })

  it('of an earlier life that pays too little is replaced', async () => {
    const key = await chain.newSigner()
    const account = privateKeyToAccount(key)
    const payment = await signPayment(await chain.newPayer(1))
    await chain.anvil.setAutomine(false)
    const fees = { maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: 40n * GWEI }
    const old = await account.signTransaction({
      type: 'eip1559',
      chainId: 8453,
      nonce: 0,
      to: account.address,
      gas: 21_000n,
      ...fees,
    })
    await chain.anvil.sendRawTransaction({ serializedTransaction: old })
    await inPool(1)
    const facilitator = await start(key, { stuckAfterMs: 150, maxFeePerGasGwei: 1_000 })
    const result = facilitator.settle(payment)
    await until('the replacement', async () => {
      const { pending } = await chain.anvil.getTxpoolContent()
      return Object.values(pending).some((byNonce) =>
        Object.values(byNonce).some(({ to }) => to !== account.address.toLowerCase()),
      )
    })
    await chain.anvil.mine({ blocks: 1 })
    expect((await result).kind).toBe('settled')
    expect(await chain.anvil.getTransactionCount({ address: account.address })).toBe(1)
  })

  it('loses its nonce to another process with the same key and is sent under the next', async () => {
    const key = await chain.newSigner()
    const account = privateKeyToAccount(key)
    const payment = await signPayment(await chain.newPayer(1))
    const facilitator = await start(key, { stuckAfterMs: 60_000 })
    await chain.anvil.setAutomine(false)
    const result = facilitator.settle(payment)
    await inPool(1)
    const fees = { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 80n * GWEI }
    const other = await account.signTransaction({
      type: 'eip1559',
      chainId: 8453,
      nonce: 0,
      to: account.address,
      gas: 21_000n,
      ...fees,
    })
    await chain.anvil.sendRawTransaction({ serializedTransaction: other })
    await chain.anvil.mine({ blocks: 1 })
    await chain.anvil.setAutomine(true)
    expect((await result).kind).toBe('settled')
    expect(await chain.anvil.getTransactionCount({ address: account.address })).toBe(2)
  })
})

describe('a signer without gas money', () => {
  it('is nobody’s refusal', async () => {
    const payment = await signPayment(await chain.newPayer(1))
    const poor = await chain.newSigner()
    await chain.anvil.setBalance({ address: privateKeyToAccount(poor).address, value: 0n })
    const facilitator = await start(poor)
    const result = await facilitator.settle(payment)
    expect(result).toMatchObject({ kind: 'unknown', reason: 'invalid_exact_evm_transaction_failed', transaction: undefined })
    expect(await facilitator.running.checks.gas?.()).toBe(false)
    await chain.anvil.setBalance({ address: privateKeyToAccount(poor).address, value: 10n ** 18n })
    expect((await facilitator.settle(payment)).kind).toBe('settled')
  })
})
