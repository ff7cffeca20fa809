import { findSettlement, type Hex, readUsdcBalance, verifyTransaction } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import {
  cancelCall,
  PAY_TO,
  PRICE,
  randomNonce,
  type SignedPayment,
  signPayment,
  transferCall,
} from './testing/signed-payment.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
let chain: LocalChain
let facilitator: OpenFacilitator

beforeAll(async () => {
  chain = await startLocalChain()
  facilitator = await openFacilitator(chain.url, await chain.newSigner())
})

afterEach(async () => {
  await chain.anvil.setAutomine(true)
})

afterAll(async () => {
  await facilitator?.close()
  await chain?.stop()
})

function expectedOf({ payer, nonce }: SignedPayment) {
  return { payer, nonce, payTo: PAY_TO, amountAtomic: PRICE, confirmations: 1 }
}

function onChain(payment: SignedPayment) {
  return findSettlement(chain.rpc, { ...expectedOf(payment), fromBlock: 0n })
}

function sentBySigner(): Promise<number> {
  return chain.anvil.getTransactionCount({ address: facilitator.signer })
}

/** Holds the account busy with one transaction in the pool, so that what comes now waits and forms the next batch. */
async function occupySigner(): Promise<{ done: Promise<unknown> }> {
  const payer = await chain.newPayer(1)
  await chain.anvil.setAutomine(false)
  const done = facilitator.settle(await signPayment(payer))
  await poolHolds(1)
  return { done }
}

async function poolHolds(transactions: number): Promise<void> {
  await until(
    `${transactions} transactions in the pool`,
    async () => (await chain.anvil.getTxpoolStatus()).pending === transactions,
  )
}

async function waitingAre(count: number): Promise<void> {
  await until(`${count} settlements waiting`, async () => (await facilitator.waiting()) === count)
}

/** Mines the occupying transaction and, once it is sent, the batch behind it. */
async function mineBoth(): Promise<void> {
  await chain.anvil.mine({ blocks: 1 })
  await poolHolds(1)
  await chain.anvil.mine({ blocks: 1 })
}

describe('settling', () => {
  it('moves the money and names the transaction', async () => {
    const payer = await chain.newPayer(1)
    const payment = await signPayment(payer)
    expect(await facilitator.client.verify(payment)).toEqual({ kind: 'valid', payer: payment.payer })
    const before = await readUsdcBalance(chain.rpc, PAY_TO)
    const result = await facilitator.settle(payment)
    if (result.kind !== 'settled') throw new Error(JSON.stringify(result))
    expect(await verifyTransaction(chain.rpc, result.transaction, expectedOf(payment))).toMatchObject({ kind: 'settled' })
    expect((await readUsdcBalance(chain.rpc, PAY_TO)) - before).toBe(PRICE)
  })

  it('answers the same again when asked again, and charges once', async () => {
    const payer = await chain.newPayer(1)
    const payment = await signPayment(payer)
    const first = await facilitator.settle(payment)
    expect(await facilitator.settle(payment)).toEqual(first)
    const dearer = { ...payment, requirements: { ...payment.requirements, amount: '4000' } }
    expect((await facilitator.settle(dearer)).kind).toBe('refused')
    expect(await readUsdcBalance(chain.rpc, payer.address)).toBe(998_000n)
  })

  it('joins copies of one payment that arrive together', async () => {
    const payer = await chain.newPayer(1)
    const payment = await signPayment(payer)
    const before = await sentBySigner()
    const results = await Promise.all(Array.from({ length: 20 }, () => facilitator.settle(payment)))
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]?.kind).toBe('settled')
    expect((await sentBySigner()) - before).toBe(1)
  })

  it('merges fifty that wait into one transaction, and each gets its own result', async () => {
    const payers = await Promise.all(Array.from({ length: 10 }, () => chain.newPayer(1)))
    // Five of the same payer and amount each: only the nonce tells them apart.
    const payments = await Promise.all(payers.flatMap((payer) => Array.from({ length: 5 }, () => signPayment(payer))))
    const before = await sentBySigner()
    const { done } = await occupySigner()
    const results = Promise.all(payments.map((payment) => facilitator.settle(payment)))
    await waitingAre(50)
    await mineBoth()
    const transactions = new Set<string>()
    for (const [index, result] of (await results).entries()) {
      const payment = payments[index]
      if (result.kind !== 'settled' || payment === undefined) throw new Error(JSON.stringify(result))
      transactions.add(result.transaction)
      expect(await verifyTransaction(chain.rpc, result.transaction, expectedOf(payment))).toMatchObject({ kind: 'settled' })
    }
    await done
    expect(transactions.size).toBe(1)
    expect((await sentBySigner()) - before).toBe(2)
    for (const payer of payers) expect(await readUsdcBalance(chain.rpc, payer.address)).toBe(990_000n)
  })

  it('lets a member fail alone when the payer’s money is gone', async () => {
    const [rich, poor] = await Promise.all([chain.newPayer(1), chain.newPayer(0.003)])
    const payments = await Promise.all([signPayment(poor), signPayment(rich), signPayment(poor), signPayment(rich)])
    const { done } = await occupySigner()
    // Each is covered by itself; together the poor one's are not.
    const results = Promise.all(payments.map((payment) => facilitator.settle(payment)))
    await waitingAre(4)
    await mineBoth()
    const kinds = (await results).map((result) => result.kind)
    expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(3)
    const refused = (await results).find((result) => result.kind === 'refused')
    expect(refused).toEqual({ kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance', blame: 'payer' })
    await done
    for (const [index, payment] of payments.entries()) {
      expect((await onChain(payment)).kind).toBe(kinds[index] === 'settled' ? 'settled' : 'unused')
    }
  })

  it.each<[string, (payer: PrivateKeyAccount, nonce: Hex) => Promise<Hex>, string]>([
    ['somebody else sends the authorization first', (payer, nonce) => transferCall(payer, nonce, PAY_TO), 'settled'],
    [
      'the payer pays itself under the same nonce',
      (payer, nonce) => transferCall(payer, nonce, payer.address),
      'spent_elsewhere',
    ],
    ['the payer cancels it', (payer, nonce) => cancelCall(payer, nonce), 'spent_elsewhere'],
  ])('leaves the answer to the chain when %s', async (_title, frontRun, truth) => {
    const [victim, bystander] = await Promise.all([chain.newPayer(1), chain.newPayer(1)])
    const nonce = randomNonce()
    const payments = await Promise.all([signPayment(victim, { nonce }), signPayment(bystander)])
    const { done } = await occupySigner()
    const results = Promise.all(payments.map((payment) => facilitator.settle(payment)))
    await waitingAre(2)
    await chain.sendAsStranger(USDC, await frontRun(victim, nonce))
    await poolHolds(2)
    await mineBoth()
    const [ofVictim, ofBystander] = await results
    expect(ofVictim).toMatchObject({ kind: 'unknown', reason: 'invalid_exact_evm_nonce_already_used' })
    expect(ofBystander?.kind).toBe('settled')
    expect((await onChain(payments[0])).kind).toBe(truth)
    await done
  })

  it('sends its neighbours again when one payer’s contract burns the gas of a batch', async () => {
    const [attacker, ...payers] = await Promise.all(Array.from({ length: 4 }, () => chain.newPayer(1)))
    if (attacker === undefined) throw new Error('no attacker')
    const payments = await Promise.all([attacker, ...payers].map((payer) => signPayment(payer)))
    const { done } = await occupySigner()
    const results = Promise.all(payments.map((payment) => facilitator.settle(payment)))
    await waitingAre(4)
    await chain.anvil.mine({ blocks: 1 })
    await poolHolds(1)
    // An account that turns into an endless loop after it was sent, as EIP-7702 allows.
    await chain.anvil.setCode({ address: attacker.address, bytecode: '0x5b600056' })
    await chain.anvil.setAutomine(true)
    await chain.anvil.mine({ blocks: 1 })
    const [ofAttacker, ...others] = await results
    expect(ofAttacker?.kind).not.toBe('settled')
    expect(others.map((result) => result.kind)).toEqual(['settled', 'settled', 'settled'])
    expect((await onChain(payments[0] as SignedPayment)).kind).toBe('unused')
    await done
  })

  it('leaves out of the batch whose account became a contract while it waited', async () => {
    const [attacker, ...payers] = await Promise.all(Array.from({ length: 4 }, () => chain.newPayer(1)))
    if (attacker === undefined) throw new Error('no attacker')
    const payments = await Promise.all([attacker, ...payers].map((payer) => signPayment(payer)))
    const { done } = await occupySigner()
    const before = await sentBySigner()
    const results = Promise.all(payments.map((payment) => facilitator.settle(payment)))
    await waitingAre(4)
    await chain.anvil.setCode({ address: attacker.address, bytecode: '0x5b600056' })
    await mineBoth()
    const [ofAttacker, ...others] = await results
    expect(ofAttacker).toEqual({ kind: 'refused', reason: 'transfer_gas_limit_exceeded', blame: 'payer' })
    expect(others.map((result) => result.kind)).toEqual(['settled', 'settled', 'settled'])
    expect(new Set(others.map((result) => result.kind === 'settled' && result.transaction)).size).toBe(1)
    await done
    // The one that kept it busy and the batch; nothing was spent on the attacker.
    expect((await sentBySigner()) - before).toBe(2)
  })

  it('settles for a contract wallet, in a transaction of its own', async () => {
    const wallet = await chain.newPayer(1)
    await chain.anvil.setCode({ address: wallet.address, bytecode: '0x631626ba7e60e01b60005260206000f3' })
    const payments = [
      await signPayment(wallet, { signature: `0x${'cd'.repeat(80)}` }),
      await signPayment(wallet, { signature: `0x${'cd'.repeat(64)}1b` }),
      await signPayment(await chain.newPayer(1)),
    ]
    const results = await Promise.all(payments.map((payment) => facilitator.settle(payment)))
    expect(results.map((result) => result.kind)).toEqual(['settled', 'settled', 'settled'])
    expect(new Set(results.map((result) => result.kind === 'settled' && result.transaction)).size).toBe(3)
    for (const payment of payments) expect((await onChain(payment)).kind).toBe('settled')
  })

  it('tells two transfers of a wallet apart that always shows the same signature', async () => {
    const wallet = await chain.newPayer(1)
    await chain.anvil.setCode({ address: wallet.address, bytecode: '0x631626ba7e60e01b60005260206000f3' })
    const signature: Hex = `0x${'cd'.repeat(64)}1b`
    const [first, second, third] = [
      await signPayment(wallet, { signature }),
      await signPayment(wallet, { signature }),
      await signPayment(wallet, { signature }),
    ]
    const results = [await facilitator.settle(first), ...(await Promise.all([second, third].map(facilitator.settle)))]
    expect(results.map((result) => result.kind)).toEqual(['settled', 'settled', 'settled'])
    expect(new Set(results.map((result) => result.kind === 'settled' && result.transaction)).size).toBe(3)
    for (const payment of [first, second, third]) expect((await onChain(payment)).kind).toBe('settled')
  })

  it('uses every account that it has', async () => {
    const keys = [await chain.newSigner(), await chain.newSigner()] as const
    const pair = await openFacilitator(chain.url, keys[0], { signerPrivateKeys: keys })
    try {
      const payments = await Promise.all([1, 2].map(async () => signPayment(await chain.newPayer(1))))
      await chain.anvil.setAutomine(false)
      const results = Promise.all(payments.map((payment) => pair.settle(payment)))
      await poolHolds(2)
      await chain.anvil.mine({ blocks: 1 })
      const transactions = (await results).map((result) =>
        result.kind === 'settled' ? result.transaction : JSON.stringify(result),
      )
      const senders = await Promise.all(
        transactions.map(async (hash) => (await chain.anvil.getTransaction({ hash: hash as Hex })).from),
      )
      expect(new Set(senders).size).toBe(2)
    } finally {
      await pair.close()
    }
  })
})
