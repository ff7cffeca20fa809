import type { Stack } from '@turnpike/local'
import { createPublicClient, type Hex, http, parseAbiItem } from 'viem'

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

type Sold = Pick<Stack, 'payTo'> & { chain: Pick<Stack['chain'], 'rpcUrl' | 'usdc'> }
export type ChainTransfer = { from: Hex; value: bigint; transaction: Hex }

/** Every transfer of USDC to the seller, as the chain tells it. */
export async function transfersToSeller(stack: Sold, from?: Hex): Promise<ChainTransfer[]> {
  const client = createPublicClient({ transport: http(stack.chain.rpcUrl) })
  const logs = await client.getLogs({
    address: stack.chain.usdc,
    event: TRANSFER,
    args: { to: stack.payTo as Hex, ...(from === undefined ? {} : { from }) },
    fromBlock: 0n,
    strict: true,
  })
  return logs.map((log) => ({ from: log.args.from, value: log.args.value, transaction: log.transactionHash }))
}
