import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'

type Deps = { database: Database; store: Pick<ObjectStore, 'delete'>; metrics: LedgerMetrics; logger: Logger }

const AT_ONCE = 200

/**
 * Deletes results past their time: seven days after settlement, an hour after a payment failed for sure. The keys give them up first,
 * then the objects go, then the rows, so a crash anywhere is made good by the next run. Keys and receipts stay for ever.
 */
export async function expireResults({ database, store, metrics, logger }: Deps): Promise<boolean> {
  const expired = await database.$queryRaw<{ jobId: string; ref: string | null }[]>`
    SELECT expired_job_id AS "jobId", object_ref AS ref FROM expire_results(${AT_ONCE}::integer)`
  const gone: string[] = []
  for (const { jobId, ref } of expired) {
    try {
      if (ref !== null) await store.delete(ref)
      gone.push(jobId)
    } catch (error) {
      logger.warn({ error, jobId }, 'an expired object could not be deleted, trying again later')
    }
  }
  if (gone.length > 0) {
    await database.$queryRaw`SELECT delete_expired_results(${gone}::text[])::text`
    metrics.expiredResults.count({}, gone.length)
    logger.info({ results: gone.length }, 'expired results deleted')
  }
  return gone.length === AT_ONCE
}
