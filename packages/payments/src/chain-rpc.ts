import { createPublicClient, http, type PublicClient } from 'viem'
import { base } from 'viem/chains'
import { type Hex, USDC_ABI, USDC_ADDRESS } from './usdc.ts'

export interface ChainRpc {
  client: PublicClient
  /** Blocks per `eth_getLogs`; public endpoints refuse long ranges. */
  logRangeBlocks: bigint
}

/** JSON-RPC to the chain. Calls of one tick travel as one HTTP request; a call that fails once in transport is tried once more. */
export function openChainRpc(options: {
  url: string
  timeoutMs: number
  logRangeBlocks?: number
  retryCount?: number
}): ChainRpc {
  const transport = http(options.url, {
    batch: { batchSize: 100, wait: 0 },
    timeout: options.timeoutMs,
    retryCount: options.retryCount ?? 1,
    retryDelay: 100,
  })
  // cacheTime 0: viem otherwise answers getBlockNumber from a memory of four seconds. ccipRead: a contract wallet could have it fetch any
  // address that it names, ours included (ERC-3668). The cast drops Base's own transaction types.
  const client = createPublicClient({ chain: base, transport, cacheTime: 0, ccipRead: false }) as PublicClient
  return { client, logRangeBlocks: BigInt(options.logRangeBlocks ?? 2000) }
}

/** Newest block. Throws when the node cannot be asked. */
export async function readBlockNumber(rpc: ChainRpc): Promise<bigint> {
  return rpc.client.getBlockNumber({ cacheTime: 0 })
}

/** Atomic USDC of an account at the newest block. Throws when the node cannot be asked. */
export async function readUsdcBalance(rpc: ChainRpc, account: string): Promise<bigint> {
  const args = [account as Hex] as const
  return rpc.client.readContract({ address: USDC_ADDRESS, abi: USDC_ABI, functionName: 'balanceOf', args })
}

/** True for contract wallets and EIP-7702 accounts. Throws when the node cannot be asked. */
export async function hasCode(rpc: ChainRpc, account: string): Promise<boolean> {
  const code = await rpc.client.getCode({ address: account as Hex })
  return code !== undefined && code !== '0x'
}
