import { randomUUID } from 'node:crypto'
import type { OutcomeEvent, SucceededOutcome, UnsuccessfulOutcome } from '@turnpike/contracts'
import { PoisonMessage } from '@turnpike/kafka'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { annotateSpan } from '@turnpike/telemetry/tracing'
import type { BlockClock } from './block-clock.ts'
import { type Database, isUnstorable } from './database.ts'
import { discardResult } from './discard-result.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Notify } from './notify.ts'

type Deps = {
  database: Database
  store: Pick<ObjectStore, 'delete'>
  blocks: BlockClock
  settleInBackground: SettleInBackground
  notify: Notify
  metrics: LedgerMetrics
  logger: Logger
  owner: string
  leaseMs: number
}
/** Settles a payment that was just made; whoever asks does not wait for it. */
export type SettleInBackground = (paymentId: string, traceparent?: string) => void
export type Delivery = { attempt: number; traceparent: string | undefined }

/** Thrown while the job itself has not arrived: its topic is another one, so order is not promised. */
export class JobUnrecorded extends Error {
  override name = 'JobUnrecorded'
}

// With the consumer's backoff, some four minutes. A job that is still not there was never published where the ledger reads.
const UNRECORDED_ATTEMPTS = 60

/** Takes the first terminal outcome of a job; a later one changes nothing. Money moves here and only for `succeeded`. */
export async function commitOutcome(deps: Deps, outcome: OutcomeEvent, delivery: Delivery): Promise<void> {
  annotateSpan({ 'turnpike.job_id': outcome.jobId, 'turnpike.outcome': outcome.kind })
  try {
    await (outcome.kind === 'succeeded' ? storeAndSettle(deps, outcome, delivery) : endJob(deps, outcome))
  } catch (error) {
    if (error instanceof JobUnrecorded && delivery.attempt >= UNRECORDED_ATTEMPTS) throw new PoisonMessage('job_unrecorded')
    throw isUnstorable(error) ? new PoisonMessage('unstorable', { cause: error }) : error
  }
}

type Stored = {
  became: 'unrecorded' | 'stored' | 'superseded' | 'already_ended'
  job_state: string | null
  payment_id: string | null
}

async function storeAndSettle(deps: Deps, outcome: SucceededOutcome, { traceparent }: Delivery): Promise<void> {
  const { database, blocks, settleInBackground, metrics, logger } = deps
  const { jobId, result } = outcome
  const inline = 'inline' in result.body ? Buffer.from(result.body.inline, 'base64') : null
  const ref = 'inline' in result.body ? null : JSON.stringify(result.body)
  const block = await blocks.current()
  const [stored] = await database.rows<Stored>`
    SELECT became, job_state, payment_id FROM store_result(${jobId}, ${result.contentType}, ${inline}::bytea, ${ref}::jsonb,
      ${result.sha256}, ${result.bytes}::integer, ${JSON.stringify(outcome.usage)}::jsonb, ${randomUUID()}::uuid, ${block}::bigint,
      ${deps.owner}, ${deps.leaseMs}::integer)`
  if (stored === undefined) throw new Error('store_result returned nothing')
  if (stored.became === 'unrecorded') throw new JobUnrecorded('no such job yet')
  metrics.outcomes.count({ kind: outcome.kind, became: stored.became })
  observeExecution(metrics, outcome)
  if (stored.became !== 'stored' && 'ref' in result.body) await discardResult(deps, { jobId, ref: result.body.ref })
  if (stored.became === 'superseded') {
    logger.warn({ jobId }, 'a second winner is superseded, uncharged')
    return deps.notify.keyMoved({ ...(await ownerOf(database, jobId)), settled: false })
  }
  if (stored.became === 'already_ended') {
    // Seen before. If its settlement is undecided the reconciler has it, or will when the lease of a dead process runs out.
    logger.info({ jobId, state: stored.job_state }, 'outcome of a job that has ended')
    return
  }
  if (stored.payment_id !== null) settleInBackground(stored.payment_id, traceparent)
}

async function endJob(deps: Deps, outcome: UnsuccessfulOutcome): Promise<void> {
  const { database, notify, metrics, logger } = deps
  const { jobId, kind, code, message, retryAfterS } = outcome
  const [ended] = await database.rows<{ became: 'unrecorded' | 'ended' | 'already_ended' }>`
    SELECT end_job(${jobId}, ${kind}, ${JSON.stringify({ code, message, retryAfterS })}::jsonb) AS became`
  if (ended === undefined) throw new Error('end_job returned nothing')
  if (ended.became === 'unrecorded') throw new JobUnrecorded('no such job yet')
  metrics.outcomes.count({ kind, became: ended.became })
  observeExecution(metrics, outcome)
  if (ended.became === 'already_ended') return
  logger.info({ jobId, kind, code }, 'job ended without a result')
  await notify.keyMoved({ ...(await ownerOf(database, jobId)), settled: false })
}

async function ownerOf(database: Database, jobId: string): Promise<{ keyHash: string; payer: string; jobId: string }> {
  return database.job.findUniqueOrThrow({ where: { jobId }, select: { keyHash: true, payer: true, jobId: true } })
}

/** One clock tells both times, the worker's. */
function observeExecution(metrics: LedgerMetrics, { kind, startedAt, finishedAt }: OutcomeEvent): void {
  if (startedAt !== null) metrics.execution.observe({ kind }, (finishedAt - startedAt) / 1_000)
}
