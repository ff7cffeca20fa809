import { randomUUID } from 'node:crypto'
import type { SettleStoredRequest, SettleStoredResponse } from '@turnpike/contracts'
import type { Logger } from '@turnpike/service'
import type { BlockClock } from './block-clock.ts'
import type { SettleInBackground } from './commit-outcome.ts'
import type { Database } from './database.ts'

type Deps = {
  database: Database
  blocks: BlockClock
  settleInBackground: SettleInBackground
  logger: Logger
  owner: string
  leaseMs: number
}

/** Binds a new authorization to a stored result whose payment failed for sure, and settles it like the first one. */
export async function settleStored(deps: Deps, request: SettleStoredRequest): Promise<SettleStoredResponse> {
  const { database, blocks, settleInBackground, logger } = deps
  const block = await blocks.current()
  const [row] = await database.$queryRaw<{ status: SettleStoredResponse['status']; payment_id: string | null }[]>`
    SELECT status, payment_id FROM settle_stored(${JSON.stringify(request)}::jsonb, ${randomUUID()}::uuid, ${block}::bigint,
      ${deps.owner}, ${deps.leaseMs}::integer)`
  if (row === undefined) throw new Error('settle_stored returned nothing')
  logger.info({ jobId: request.jobId, status: row.status }, 'settle-stored')
  if (row.payment_id !== null) settleInBackground(row.payment_id)
  return { status: row.status }
}
