import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getAddress, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fundWallet } from '../fund-wallet.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { keepWholeState } from './chain.ts'
import { connectChain, multicall3Address, usdcAddress } from './chain-client.ts'
import { balanceOfUsdc } from './deploy-usdc.ts'
import { type AddressByPart, type PartHandle, startPart } from './start-part.ts'

const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function getChainId() view returns (uint256)',
])

const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

describe('the chain', () => {
  const folder = scratchFolder()
  let part: AddressByPart['chain'] & PartHandle

  beforeAll(async () => {
    part = await startPart('chain', { dir: folder.path })
  })

  afterAll(async () => {
    await part.stop()
    folder[Symbol.dispose]()
  })

  it('is Base to whoever asks, with USDC and Multicall3 where they are there', async () => {
    const chain = connectChain(part.rpcUrl)
    const read = (functionName: 'name' | 'symbol' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR') =>
      chain.readContract({ address: usdcAddress, abi, functionName })
    expect(await chain.getChainId()).toBe(8453)
    expect(await Promise.all([read('name'), read('symbol'), read('version'), read('decimals')])).toEqual([
      'USD Coin',
      'USDC',
      '2',
      6,
    ])
    expect(await read('DOMAIN_SEPARATOR')).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f')
    const results = await chain.multicall({
      contracts: [{ address: usdcAddress, abi, functionName: 'decimals' }],
      multicallAddress: multicall3Address,
    })
    expect(results).toEqual([{ status: 'success', result: 6 }])
  })

  it('has no account whose key everybody knows', async () => {
    const firstOfEveryTestChain = getAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
    expect(await connectChain(part.rpcUrl).getBalance({ address: firstOfEveryTestChain })).toBe(0n)
  })

  it('funds many wallets at once, from several processes', async () => {
    const script = `
      const { fundWallet } = await import(${JSON.stringify(new URL('../fund-wallet.ts', import.meta.url).href)})
      const on = { chain: { rpcUrl: ${JSON.stringify(part.rpcUrl)} } }
      const wallets = await Promise.all(Array.from({ length: 10 }, () => fundWallet(on, 2)))
      process.stdout.write(JSON.stringify(wallets.map(({ address }) => address)))`
    const run = promisify(execFile)
    const outputs = await Promise.all([1, 2, 3].map(() => run(process.execPath, ['--input-type=module', '-e', script])))
    const addresses = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as Hex[])
    const balances = await Promise.all(addresses.map((address) => balanceOfUsdc(connectChain(part.rpcUrl), address)))
    expect(balances).toEqual(Array.from({ length: 30 }, () => 2_000_000n))
  })

  it('takes a signed authorization as USDC on Base does, once', async () => {
    const chain = connectChain(part.rpcUrl)
    const { address, privateKey } = await fundWallet({ chain: part }, 25)
    const { address: relayer } = await fundWallet({ chain: part }, 1)
    const { address: to } = await fundWallet({ chain: part }, 0.5)
    const nonce = `0x${'5a'.repeat(32)}` as const
    const message = { from: address, to, value: 2_000n, validAfter: 0n, validBefore: 4_000_000_000n, nonce }
    const signature = await privateKeyToAccount(privateKey).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdcAddress },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const call = {
      address: usdcAddress,
      abi,
      functionName: 'transferWithAuthorization' as const,
      args: [address, to, 2_000n, 0n, 4_000_000_000n, nonce, signature] as const,
      account: relayer,
    }
    await chain.setBalance({ address: relayer, value: 10n ** 18n })
    await chain.impersonateAccount({ address: relayer })
    const receipt = await chain.waitForTransactionReceipt({ hash: await chain.writeContract({ ...call, chain: null }) })
    expect(receipt.status).toBe('success')
    expect(await balanceOfUsdc(chain, to)).toBe(502_000n)
    expect(await balanceOfUsdc(chain, address)).toBe(24_998_000n)
    await expect(chain.simulateContract(call)).rejects.toThrow('authorization is used or canceled')
  })

  it('keeps its blocks through a stop, and through a kill what it had written by then', async () => {
    const { address } = await fundWallet({ chain: part }, 7)
    const blockNumber = await connectChain(part.rpcUrl).getBlockNumber()
    await part.stop()
    part = await startPart('chain', { dir: folder.path, port: part.port })
    expect(await connectChain(part.rpcUrl).getBlockNumber()).toBe(blockNumber)
    expect(await balanceOfUsdc(connectChain(part.rpcUrl), address)).toBe(7_000_000n)
    const second = await fundWallet({ chain: part }, 8)
    const expected = await connectChain(part.rpcUrl).getBlockNumber()
    await expect.poll(() => savedBlock(folder.path)).toBe(Number(expected))
    await part.kill()
    part = await startPart('chain', { dir: folder.path, port: part.port })
    expect(await balanceOfUsdc(connectChain(part.rpcUrl), second.address)).toBe(8_000_000n)
  })

  it('comes back from the last whole state when a kill left half of one', async () => {
    const { address } = await fundWallet({ chain: part }, 9)
    await part.stop()
    const site = { dir: folder.path, port: part.port, sidePort: 0 }
    keepWholeState(site)
    truncateSync(join(folder.path, 'state.json'), 1_000)
    keepWholeState(site)
    part = await startPart('chain', { dir: folder.path, port: part.port })
    expect(await balanceOfUsdc(connectChain(part.rpcUrl), address)).toBe(9_000_000n)
  })
})

describe('a chain with a block time', () => {
  it('mines by the clock', async () => {
    using folder = scratchFolder()
    const part = await startPart('chain', { dir: folder.path, blockTimeSeconds: 1 })
    const chain = connectChain(part.rpcUrl)
    expect(await chain.getAutomine()).toBe(false)
    const before = await chain.getBlockNumber()
    await expect.poll(() => chain.getBlockNumber()).toBeGreaterThan(before)
    await part.stop()
  })
})

function savedBlock(folder: string): number {
  const copy = join(folder, 'state.read.json')
  copyFileSync(join(folder, 'state.json'), copy)
  try {
    return (JSON.parse(readFileSync(copy, 'utf8')) as { best_block_number: number }).best_block_number
  } catch {
    return -1
  }
}
