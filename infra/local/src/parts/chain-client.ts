import { createTestClient, getAddress, type Hex, http, publicActions, walletActions } from 'viem'
import { base } from 'viem/chains'

export const chainId = base.id
export const usdcAddress = getAddress('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
export const multicall3Address = getAddress('0xcA11bde05977b3631167028862bE2a173976CA11')

/** Speaks to the local chain, with the calls that only a local chain has. */
export function connectChain(rpcUrl: string) {
  return createTestClient({
    chain: base,
    mode: 'anvil',
    pollingInterval: 25,
    transport: http(rpcUrl, { retryCount: 0, timeout: 10_000 }),
  })
    .extend(publicActions)
    .extend(walletActions)
}

export type ChainClient = ReturnType<typeof connectChain>

/** Sends a transaction from an address whose key nobody has, and waits for it. Only a local chain lets one do that. */
export async function sendAs(client: ChainClient, from: Hex, call: { to?: Hex; data: Hex }) {
  const hash = await client.sendTransaction({ account: from, chain: null, ...call })
  // With a block time nobody shall wait an hour for a block.
  if (!(await client.getAutomine())) await client.mine({ blocks: 1 })
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: 60_000 })
  if (receipt.status !== 'success') throw new Error(`The transaction ${hash} was reverted.`)
  return receipt
}

/** Calls from these addresses need no signature while the work runs; they can pay for their gas. */
export async function impersonating(client: ChainClient, addresses: readonly Hex[], work: () => Promise<void>): Promise<void> {
  for (const address of addresses) {
    await client.impersonateAccount({ address })
    await client.setBalance({ address, value: 10n ** 21n })
  }
  try {
    await work()
  } finally {
    for (const address of addresses) await client.stopImpersonatingAccount({ address })
  }
}
