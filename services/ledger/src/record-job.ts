import type { JobEvent } from '@turnpike/contracts'
import { PoisonMessage } from '@turnpike/kafka'
import type { Logger } from '@turnpike/service'
import { annotateSpan } from '@turnpike/telemetry/tracing'
import { type Database, isUnstorable } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Notify } from './notify.ts'

type Deps = { database: Database; notify: Notify; metrics: LedgerMetrics; logger: Logger }

/**
 * Records an admitted job, once: from here on it cannot be forgotten. A job that cannot win any more (its key is decided, or its key
 * or payment belongs to another request) is recorded as superseded at once, and whatever it yields is never charged.
 */
export async function recordJob(deps: Deps, job: JobEvent): Promise<'admitted' | 'superseded'> {
  const { database, notify, metrics, logger } = deps
  const { jobId, requestId } = job
  annotateSpan({ 'turnpike.request_id': requestId, 'turnpike.job_id': jobId })
  // The ledger never needs the request; prompts stay out of its tables.
  const { request: _, ...event } = job
  const [recorded] = await database.rows<{ job_state: 'admitted' | 'superseded'; is_new: boolean }>`
    SELECT job_state, is_new FROM record_job(${JSON.stringify(event)}::jsonb)`.catch((error: unknown) => {
    throw isUnstorable(error) ? new PoisonMessage('unstorable', { cause: error }) : error
  })
  if (recorded === undefined) throw new Error('record_job returned nothing')
  if (recorded.is_new) {
    metrics.jobs.count({ state: recorded.job_state })
    logger.info({ requestId, jobId, state: recorded.job_state }, 'job recorded')
  }
  if (recorded.job_state === 'superseded') await notify.keyMoved({ ...job, settled: false })
  return recorded.job_state
}
