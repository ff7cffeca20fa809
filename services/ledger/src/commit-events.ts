import { type CommitEvent, commitCodec, TOPICS } from '@turnpike/contracts'
import { type Publisher, schemaVersionHeader, traceparentHeader } from '@turnpike/kafka'
import { childTraceparent, type Logger } from '@turnpike/service'
import type { Database } from './database.ts'

export type Commit = Omit<CommitEvent, 'type' | 'version' | 'amountAtomic'> & { paymentId: string; amountAtomic: bigint }

export type CommitEvents = {
  /** Best effort: a fault is logged, and the event is published by a later turn of `catchUp`. */
  publish(commit: Commit, traceparent: string | undefined): Promise<void>
  /** Notes what was published; publishes what a crash or a fault left out. True when there may be more. */
  catchUp(): Promise<boolean>
}

type Deps = { database: Database; publisher: Pick<Publisher, 'publish'>; logger: Logger }

const AT_ONCE = 200
// Longer than any publish takes: what is younger is on its way.
const LEFT_OUT_AFTER_S = 30

/**
 * One event per committed receipt, at least once: readers tell repetitions by the receipt's id. That an event is out is noted for many
 * payments in one statement, so it costs the settlement nothing; a crash in between repeats some.
 */
export function openCommitEvents({ database, publisher, logger }: Deps): CommitEvents {
  let published: string[] = []

  async function publish(commit: Commit, traceparent: string | undefined): Promise<void> {
    const headers = { [traceparentHeader]: childTraceparent(traceparent), [schemaVersionHeader]: String(commitCodec.version) }
    try {
      await publisher.publish({ topic: TOPICS.commits, key: commit.jobId, value: commitCodec.encode(eventOf(commit)), headers })
      published.push(commit.paymentId)
    } catch (error) {
      logger.warn({ error, jobId: commit.jobId }, 'a commit event was not published, trying again later')
    }
  }

  async function notePublished(): Promise<void> {
    const ids = published
    if (ids.length === 0) return
    published = []
    try {
      await database.$executeRaw`UPDATE payments SET announced_at = now() WHERE id = ANY(${ids}::uuid[])`
    } catch (error) {
      published.push(...ids)
      throw error
    }
  }

  return {
    publish,
    async catchUp() {
      await notePublished()
      const leftOut = await database.$queryRaw<Commit[]>`
        SELECT p.id AS "paymentId", p.job_id AS "jobId", r.id AS "receiptId", j.request_id AS "requestId", j.endpoint, j.model,
          j.catalog_version AS "catalogVersion", p.amount_atomic AS "amountAtomic", p.payer, p.transaction,
          (extract(epoch FROM p.decided_at) * 1000)::float8 AS "committedAt"
        FROM payments p JOIN receipts r ON r.payment_id = p.id JOIN jobs j ON j.job_id = p.job_id
        WHERE p.state = 'settled' AND p.announced_at IS NULL
          AND p.decided_at < now() - make_interval(secs => ${LEFT_OUT_AFTER_S}::integer)
        ORDER BY p.decided_at LIMIT ${AT_ONCE}::integer`
      await Promise.all(leftOut.map((commit) => publish(commit, undefined)))
      await notePublished()
      return leftOut.length === AT_ONCE
    },
  }
}

function eventOf(commit: Commit): CommitEvent {
  const { jobId, receiptId, requestId, endpoint, model, catalogVersion, amountAtomic, payer, transaction, committedAt } = commit
  return {
    type: 'commit',
    version: 1,
    jobId,
    receiptId,
    requestId,
    endpoint,
    model,
    catalogVersion,
    amountAtomic: amountAtomic.toString(),
    payer,
    transaction,
    committedAt: Math.round(committedAt),
  }
}
