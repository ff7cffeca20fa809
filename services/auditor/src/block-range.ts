import { type ChainRpc, readBlockNumber } from '@turnpike/payments'
import type { BlockRange } from './audit-book.ts'
import { AuditImpossible } from './http-json.ts'
import type { Options } from './options.ts'

/** The blocks to audit: none that is not confirmed, because such a block may still go. */
export async function blockRange(
  deps: { rpc: ChainRpc; confirmations: number; defaultBlocks: bigint },
  { from, to, last }: Pick<Options, 'from' | 'to' | 'last'>,
): Promise<BlockRange> {
  const latest = await readBlockNumber(deps.rpc)
  const confirmed = latest - BigInt(deps.confirmations) + 1n
  if (confirmed < 0n) throw new AuditImpossible('no block of the chain is confirmed yet')
  const end = to ?? confirmed
  if (end > confirmed) throw new AuditImpossible(`block ${end} is not confirmed yet; the newest that is: ${confirmed}`)
  const start = from ?? end - (last ?? deps.defaultBlocks) + 1n
  if (start > end) throw new AuditImpossible(`block ${start} is not confirmed yet; the newest that is: ${end}`)
  return { from: start > 0n ? start : 0n, to: end }
}
