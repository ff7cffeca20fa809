import { findSettlement, type Hex } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { concat, encodeAbiParameters, parseAbiParameters, parseEther, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { type OpenFacilitator, openFacilitator } from './testing/open-facilitator.ts'
import { PAY_TO, PRICE, type SignedPayment, signPayment } from './testing/signed-payment.ts'

const TOO_MUCH = 'transfer_gas_limit_exceeded'
let chain: LocalChain
let facilitator: OpenFacilitator
let signer: Hex

beforeAll(async () => {
  chain = await startLocalChain()
  signer = await chain.newSigner()
  facilitator = await openFacilitator(chain.url, signer)
})

afterAll(async () => {
  await facilitator?.close()
  await chain?.stop()
})

/** PUSH3 rounds, count them down (26 gas each), then ERC-1271's "valid". */
function burning(rounds: number): Hex {
  return concat(['0x62', toHex(rounds, { size: 3 }), '0x5b600190038060045750', '0x631626ba7e60e01b60005260206000f3'])
}

/** The same for one sender only: whoever simulates it under another name sees nothing. `ORIGIN == who ? burn : valid`. */
function burningFor(who: Hex, rounds: number): Hex {
  const valid = '0x631626ba7e60e01b60005260206000f3'
  // 0: PUSH20 who; 21: ORIGIN; 22: EQ; 23: PUSH1 42; 25: JUMPI; 26: valid (16 bytes); 42: JUMPDEST; 43: PUSH3; 47: JUMPDEST …
  const burn = concat(['0x5b', '0x62', toHex(rounds, { size: 3 }), '0x5b6001900380602f57', '0x50', valid])
  return concat(['0x73', who, '0x3214', '0x602a57', valid, burn])
}

async function poolHolds(transactions: number): Promise<void> {
  await until('the pool', async () => (await chain.anvil.getTxpoolStatus()).pending === transactions)
}

async function waitingAre(count: number): Promise<void> {
  await until('the settlements to wait', async () => (await facilitator.waiting()) === count)
}

async function walletWith(bytecode: Hex): Promise<PrivateKeyAccount> {
  const wallet = await chain.newPayer(1)
  await chain.anvil.setCode({ address: wallet.address, bytecode })
  return wallet
}

function signedBy(wallet: PrivateKeyAccount, signature: Hex = `0x${'cd'.repeat(80)}`): Promise<SignedPayment> {
  return signPayment(wallet, { signature })
}

function onChain({ payer, nonce }: SignedPayment) {
  return findSettlement(chain.rpc, { payer, nonce, payTo: PAY_TO, amountAtomic: PRICE, confirmations: 1, fromBlock: 0n })
}

describe('a wallet whose check burns gas', () => {
  it.each([
    ['a little more than is allowed', 12_000],
    ['ten million', 400_000],
    ['almost a block', 900_000],
  ])('is refused before anything is sent, at verify and at settle: %s', async (_title, rounds) => {
    const payment = await signedBy(await walletWith(burning(rounds)))
    const before = await chain.anvil.getBalance({ address: facilitator.signer })
    expect(await facilitator.client.verify(payment)).toEqual({ kind: 'rejected', reason: TOO_MUCH, blame: 'payer' })
    expect(await facilitator.settle(payment)).toEqual({ kind: 'refused', reason: TOO_MUCH, blame: 'payer' })
    expect(await chain.anvil.getBalance({ address: facilitator.signer })).toBe(before)
    expect((await onChain(payment)).kind).toBe('unused')
    expect((await facilitator.settle(await signPayment(await chain.newPayer(1)))).kind).toBe('settled')
  })

  it('for our sender only is refused as well', async () => {
    const payment = await signedBy(await walletWith(burningFor(facilitator.signer, 400_000)))
    expect(await facilitator.client.verify(payment)).toEqual({ kind: 'rejected', reason: TOO_MUCH, blame: 'payer' })
    expect(await facilitator.settle(payment)).toEqual({ kind: 'refused', reason: TOO_MUCH, blame: 'payer' })
  })

  it('after it was checked is refused when it is about to be sent', async () => {
    const wallet = await walletWith(burning(1))
    const payment = await signedBy(wallet)
    await chain.anvil.setAutomine(false)
    const first = facilitator.settle(await signPayment(await chain.newPayer(1)))
    await poolHolds(1)
    const result = facilitator.settle(payment)
    await waitingAre(1)
    await chain.anvil.setCode({ address: wallet.address, bytecode: burning(400_000) })
    await chain.anvil.setAutomine(true)
    await chain.anvil.mine({ blocks: 1 })
    expect((await first).kind).toBe('settled')
    expect(await result).toEqual({ kind: 'refused', reason: TOO_MUCH, blame: 'payer' })
    expect((await onChain(payment)).kind).toBe('unused')
  })

  it('within what is allowed is settled, for no more than that', async () => {
    const payment = await signedBy(await walletWith(burning(6_000)))
    expect((await facilitator.client.verify(payment)).kind).toBe('valid')
    const result = await facilitator.settle(payment)
    if (result.kind !== 'settled') throw new Error(JSON.stringify(result))
    const { gas } = await chain.anvil.getTransaction({ hash: result.transaction })
    expect(gas).toBeLessThanOrEqual(300_000n)
  })

  it('is the operator’s to allow', async () => {
    const generous = await openFacilitator(chain.url, await chain.newSigner(), { maxTransferGas: 2_000_000 })
    try {
      const payment = await signedBy(await walletWith(burning(40_000)))
      expect((await generous.client.verify(payment)).kind).toBe('valid')
      expect((await generous.settle(payment)).kind).toBe('settled')
    } finally {
      await generous.close()
    }
  })

  it('and has no money is told about the money', async () => {
    const wallet = await walletWith(burning(400_000))
    const payment = await signPayment(wallet, { signature: `0x${'cd'.repeat(80)}`, value: 2_000_000n })
    const requirements = { ...payment.requirements, amount: '2000000' }
    const dear = { ...payment, requirements, payload: { ...payment.payload, accepted: requirements } }
    expect(await facilitator.client.verify(dear)).toMatchObject({ kind: 'rejected', blame: 'payer' })
    expect(await facilitator.settle(dear)).toMatchObject({ kind: 'refused', blame: 'payer' })
  })

  it('with a signature too long to be paid for is refused', async () => {
    const payment = await signedBy(await walletWith(burning(1)), `0x${'cd'.repeat(30_000)}`)
    expect(await facilitator.client.verify(payment)).toEqual({ kind: 'rejected', reason: TOO_MUCH, blame: 'payer' })
    expect(await facilitator.settle(payment)).toEqual({ kind: 'refused', reason: TOO_MUCH, blame: 'payer' })
  })
})

describe('a wallet that names its factory although it is deployed', () => {
  const wrapped = (factory: Hex): Hex =>
    concat([
      encodeAbiParameters(parseAbiParameters('address, bytes, bytes'), [factory, '0x1234', `0x${'cd'.repeat(80)}`]),
      `0x${'6492'.repeat(16)}`,
    ])

  it('is settled, and its factory is left alone', async () => {
    const factory = await walletWith('0x5b600056')
    const payment = await signedBy(await walletWith(burning(1)), wrapped(factory.address))
    expect((await facilitator.client.verify(payment)).kind).toBe('valid')
    expect((await facilitator.settle(payment)).kind).toBe('settled')
  })

  it('is refused when it burns gas', async () => {
    const factory = await walletWith('0x00')
    const payment = await signedBy(await walletWith(burning(400_000)), wrapped(factory.address))
    expect(await facilitator.client.verify(payment)).toEqual({ kind: 'rejected', reason: TOO_MUCH, blame: 'payer' })
    expect(await facilitator.settle(payment)).toEqual({ kind: 'refused', reason: TOO_MUCH, blame: 'payer' })
  })
})

describe('a chain whose blocks are too small', () => {
  it('gets no transaction that fits into none', async () => {
    const small = await startLocalChain()
    const poor = await openFacilitator(small.url, await small.newSigner())
    try {
      const payment = await signPayment(await small.newPayer(1))
      await small.anvil.setBlockGasLimit({ gasLimit: 140_000n })
      await small.anvil.mine({ blocks: 1 })
      expect(await poor.settle(payment)).toMatchObject({ kind: 'unknown', why: 'not_settled', transaction: undefined })
      expect(await small.anvil.getBalance({ address: poor.signer })).toBe(parseEther('1000'))
    } finally {
      await poor.close()
      await small.stop()
    }
  })
})
