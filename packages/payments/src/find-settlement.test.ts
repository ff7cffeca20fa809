import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, connectChain, fundWallet, type PartHandle, startPart } from '@turnpike/local'
import { authorizationTypes } from '@x402/evm'
import { encodeFunctionData, multicall3Abi, parseAbi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChainRpc, hasCode, openChainRpc, readBlockNumber, readUsdcBalance } from './chain-rpc.ts'
import { verifyContractSignature } from './contract-signature.ts'
import { type ExpectedSettlement, findSettlement, verifyTransaction } from './find-settlement.ts'
import { type Authorization, parsePayment } from './payment-signature.ts'
import { paymentRequirements } from './requirements.ts'
import { CHAIN_ID, type Hex, USDC_ADDRESS, USDC_DOMAIN } from './usdc.ts'

const TOKEN = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const payTo: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

let dir: string
let chain: AddressByPart['chain'] & PartHandle
let anvil: ReturnType<typeof connectChain>
let rpc: ChainRpc
const submitter = privateKeyToAccount(generatePrivateKey())

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'payments-chain-'))
  chain = await startPart('chain', { dir })
  anvil = connectChain(chain.rpcUrl)
  rpc = openChainRpc({ url: chain.rpcUrl, timeoutMs: 5_000, logRangeBlocks: 50 })
  await anvil.setBalance({ address: submitter.address, value: 10n ** 21n })
}, 60_000)

afterAll(async () => {
  await chain?.stop()
  await rm(dir, { recursive: true, force: true })
})

async function newPayer(usdc = 1): Promise<PrivateKeyAccount> {
  return privateKeyToAccount((await fundWallet({ chain }, usdc)).privateKey)
}

function authorizationOf(payer: PrivateKeyAccount, change: Partial<Authorization> = {}): Authorization {
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 3600)
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`
  return { from: payer.address.toLowerCase() as Hex, to: payTo, value: 2000n, validAfter: 0n, validBefore, nonce, ...change }
}

async function callOf(payer: PrivateKeyAccount, authorization: Authorization): Promise<Hex> {
  const signature = await payer.signTypedData({
    domain: USDC_DOMAIN,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...authorization },
  })
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return encodeFunctionData({
    abi: TOKEN,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  })
}

async function send(to: Hex, data: Hex): Promise<Hex> {
  const hash = await anvil.sendTransaction({ account: submitter, chain: null, to, data })
  await anvil.waitForTransactionReceipt({ hash })
  return hash
}

function expectedOf(authorization: Authorization, confirmations = 1): ExpectedSettlement {
  return { payer: authorization.from, nonce: authorization.nonce, payTo, amountAtomic: 2000n, confirmations }
}

describe('findSettlement', () => {
  it('finds the transfer that an authorization made, whoever sent it', async () => {
    const payer = await newPayer()
    const authorization = authorizationOf(payer)
    const fromBlock = await readBlockNumber(rpc)
    const transaction = await send(USDC_ADDRESS, await callOf(payer, authorization))
    const found = await findSettlement(rpc, { ...expectedOf(authorization), fromBlock })
    expect(found).toEqual({ kind: 'settled', transaction, blockNumber: await readBlockNumber(rpc) })
    expect(await verifyTransaction(rpc, transaction, expectedOf(authorization))).toEqual(found)
    expect(await readUsdcBalance(rpc, payer.address)).toBe(998_000n)
  })

  it('says unused with the times that decide an expiry', async () => {
    const payer = await newPayer()
    await anvil.mine({ blocks: 3 })
    const latest = await anvil.getBlock()
    const confirmed = await anvil.getBlock({ blockNumber: latest.number - 2n })
    const found = await findSettlement(rpc, { ...expectedOf(authorizationOf(payer), 3), fromBlock: latest.number })
    expect(found).toEqual({
      kind: 'unused',
      latestBlockNumber: latest.number,
      latestBlockTimestamp: latest.timestamp,
      confirmedBlockNumber: confirmed.number,
      confirmedBlockTimestamp: confirmed.timestamp,
    })
  })

  it('holds a settlement back until it has its confirmations', async () => {
    const payer = await newPayer()
    const authorization = authorizationOf(payer)
    const fromBlock = await readBlockNumber(rpc)
    const transaction = await send(USDC_ADDRESS, await callOf(payer, authorization))
    const expected = expectedOf(authorization, 3)
    expect((await findSettlement(rpc, { ...expected, fromBlock })).kind).toBe('unconfirmed')
    expect((await verifyTransaction(rpc, transaction, expected)).kind).toBe('unconfirmed')
    await anvil.mine({ blocks: 1 })
    expect((await findSettlement(rpc, { ...expected, fromBlock })).kind).toBe('unconfirmed')
    await anvil.mine({ blocks: 1 })
    expect((await findSettlement(rpc, { ...expected, fromBlock })).kind).toBe('settled')
  })

  it.each([
    ['to the payer itself', (payer: PrivateKeyAccount) => ({ to: payer.address.toLowerCase() as Hex })],
    ['of another amount', () => ({ value: 1n })],
  ])('calls a nonce that was used for a transfer %s spent, not paid', async (_title, change) => {
    const payer = await newPayer()
    const presented = authorizationOf(payer)
    const fromBlock = await readBlockNumber(rpc)
    const transaction = await send(USDC_ADDRESS, await callOf(payer, { ...presented, ...change(payer) }))
    const found = await findSettlement(rpc, { ...expectedOf(presented), fromBlock })
    expect(found).toMatchObject({ kind: 'spent_elsewhere', transaction, how: 'other_transfer' })
  })

  it('calls a cancelled authorization spent', async () => {
    const payer = await newPayer()
    const authorization = authorizationOf(payer)
    const fromBlock = await readBlockNumber(rpc)
    const signature = await payer.signTypedData({
      domain: USDC_DOMAIN,
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: authorization.from, nonce: authorization.nonce },
    })
    const args = [authorization.from, authorization.nonce, signature] as const
    const transaction = await send(USDC_ADDRESS, encodeFunctionData({ abi: TOKEN, functionName: 'cancelAuthorization', args }))
    const found = await findSettlement(rpc, { ...expectedOf(authorization), fromBlock })
    expect(found).toMatchObject({ kind: 'spent_elsewhere', transaction, how: 'cancelled' })
  })

  it('is not confused by a batch in which the same payer pays us with one nonce and itself with another', async () => {
    const payer = await newPayer()
    const paying = authorizationOf(payer)
    const keeping = authorizationOf(payer)
    const failing = authorizationOf(payer, { value: 10_000_000n })
    const datas = [
      await callOf(payer, { ...keeping, to: keeping.from }),
      await callOf(payer, failing),
      await callOf(payer, paying),
    ]
    const calls = datas.map((callData) => ({ target: USDC_ADDRESS, allowFailure: true, callData }) as const)
    const fromBlock = await readBlockNumber(rpc)
    const transaction = await send(
      MULTICALL3,
      encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
    )
    expect((await findSettlement(rpc, { ...expectedOf(paying), fromBlock })).kind).toBe('settled')
    expect((await findSettlement(rpc, { ...expectedOf(keeping), fromBlock })).kind).toBe('spent_elsewhere')
    expect((await findSettlement(rpc, { ...expectedOf(failing), fromBlock })).kind).toBe('unused')
    expect((await verifyTransaction(rpc, transaction, expectedOf(failing))).kind).toBe('untouched')
  })

  it('searches in ranges, forward and, for a front-runner who was before our record, back', async () => {
    const payer = await newPayer()
    const authorization = authorizationOf(payer)
    const before = await readBlockNumber(rpc)
    await anvil.mine({ blocks: 170 })
    const transaction = await send(USDC_ADDRESS, await callOf(payer, authorization))
    await anvil.mine({ blocks: 170 })
    const latest = await readBlockNumber(rpc)
    for (const fromBlock of [before, latest]) {
      expect(await findSettlement(rpc, { ...expectedOf(authorization), fromBlock })).toMatchObject({
        kind: 'settled',
        transaction,
      })
    }
  })

  it('says unavailable when the node is away, and never anything definite', async () => {
    const nowhere = openChainRpc({ url: 'http://127.0.0.1:9', timeoutMs: 500 })
    const expected = expectedOf(authorizationOf(await newPayer()))
    expect((await findSettlement(nowhere, { ...expected, fromBlock: 0n })).kind).toBe('unavailable')
    expect((await verifyTransaction(nowhere, expected.nonce, expected)).kind).toBe('unavailable')
    await expect(readUsdcBalance(nowhere, expected.payer)).rejects.toThrow()
  })
})

describe('verifyTransaction', () => {
  it('does not know a transaction that was never mined', async () => {
    const expected = expectedOf(authorizationOf(await newPayer()))
    expect(await verifyTransaction(rpc, `0x${'ab'.repeat(32)}`, expected)).toEqual({ kind: 'not_found' })
  })

  it('finds nothing in another payment’s transaction', async () => {
    const payer = await newPayer()
    const transaction = await send(USDC_ADDRESS, await callOf(payer, authorizationOf(payer)))
    expect((await verifyTransaction(rpc, transaction, expectedOf(authorizationOf(payer)))).kind).toBe('untouched')
  })
})

describe('verifyContractSignature', () => {
  const signature: Hex = `0x${'cd'.repeat(80)}`

  async function walletWith(code: Hex): Promise<Authorization> {
    const account = privateKeyToAccount(generatePrivateKey())
    if (code !== '0x') await anvil.setCode({ address: account.address, bytecode: code })
    return authorizationOf(account)
  }

  it.each<[string, Hex, string]>([
    ['one that says yes', '0x631626ba7e60e01b60005260206000f3', 'valid'],
    ['one that says no', '0x600060005260206000f3', 'invalid'],
    ['one that reverts', '0x60006000fd', 'invalid'],
    ['one that answers nothing', '0x00', 'invalid'],
    ['a plain account', '0x', 'invalid'],
  ])('asks the payer’s contract: %s', async (_title, code, kind) => {
    const authorization = await walletWith(code)
    expect(await hasCode(rpc, authorization.from)).toBe(code !== '0x')
    expect((await verifyContractSignature(rpc, { authorization, signature })).kind).toBe(kind)
  })

  it('says unavailable when nobody can be asked', async () => {
    const nowhere = openChainRpc({ url: 'http://127.0.0.1:9', timeoutMs: 500 })
    const authorization = await walletWith('0x')
    expect((await verifyContractSignature(nowhere, { authorization, signature })).kind).toBe('unavailable')
  })
})

describe('a payload that went through storage', () => {
  it('parses to the same payment', async () => {
    const payer = await newPayer()
    const { from, to, nonce } = authorizationOf(payer)
    const authorization = { from, to, value: '2000', validAfter: '0', validBefore: '1900000000', nonce }
    const accepted = paymentRequirements({ amountAtomic: 2000n, payTo, maxTimeoutSeconds: 300 })
    const payload = { x402Version: 2, accepted, payload: { authorization, signature: `0x${'11'.repeat(65)}` } }
    expect(parsePayment(JSON.parse(JSON.stringify(payload)))).toEqual(parsePayment(payload))
    expect(CHAIN_ID).toBe(await anvil.getChainId())
  })
})
