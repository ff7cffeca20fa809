import { type EventSchema, OUTCOME_VERSION, outcomeCodec, TOPICS } from '@turnpike/contracts'
import { type Publisher, schemaVersionHeader, traceparentHeader } from '@turnpike/kafka'
import { type Logger, newTraceparent } from '@turnpike/service'
import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'

type Deps = {
  database: Database
  publisher: Pick<Publisher, 'publish'>
  eventSchema: EventSchema
  metrics: LedgerMetrics
  logger: Logger
  graceMs: number
  now: () => number
}

const AT_ONCE = 200
// A job that was given up and is still open waits behind other outcomes; saying it again at once would not help.
const AGAIN_AFTER_S = 60

/**
 * Jobs without an outcome past their deadline and grace become ambiguous. Not by writing to their rows: after a pause of the ledger
 * their outcomes may lie in the topic unread. So the ambiguous outcome is published to that topic too, under the same key, where it
 * takes its turn behind a real one. True when there may be more.
 */
export async function sweepOverdueJobs(deps: Deps): Promise<boolean> {
  const { database, publisher, eventSchema, metrics, logger, graceMs } = deps
  const overdue = await database.$queryRaw<{ jobId: string; keyHash: string; requestId: string }[]>`
    UPDATE jobs SET swept_at = now()
    WHERE job_id IN (
      SELECT job_id FROM jobs
      WHERE state = 'admitted' AND deadline < now() - make_interval(secs => ${graceMs}::integer / 1000.0)
        AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => ${AGAIN_AFTER_S}::integer))
      ORDER BY deadline LIMIT ${AT_ONCE}::integer FOR UPDATE SKIP LOCKED)
    RETURNING job_id AS "jobId", key_hash AS "keyHash", request_id AS "requestId"`
  await Promise.all(
    overdue.map(async ({ jobId, keyHash, requestId }) => {
      const outcome = {
        ...({ type: 'outcome', version: OUTCOME_VERSION, kind: 'ambiguous', jobId, keyHash } as const),
        ...({ startedAt: null, finishedAt: deps.now(), code: 'provider_outcome_unknown' } as const),
      }
      const value = outcomeCodec.encode(outcome, eventSchema)
      const headers = {
        [traceparentHeader]: newTraceparent(),
        [schemaVersionHeader]: String(outcomeCodec.versionOf(eventSchema)),
      }
      await publisher.publish({ topic: TOPICS.outcomes, key: jobId, value, headers })
      metrics.overdueJobs.count({})
      logger.warn({ requestId, jobId }, 'no outcome in time')
    }),
  )
  return overdue.length === AT_ONCE
}
