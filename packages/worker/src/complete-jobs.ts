import { randomUUID } from 'node:crypto'
import type { ExecutionClaims } from '@turnpike/admission'
import { type EventSchema, type JobEvent, jobCodec, type OutcomeEvent, sealedFor, sha256Hex } from '@turnpike/contracts'
import { type ConsumedMessage, type MessageHandler, type MessageHeaders, PoisonMessage, type Publisher } from '@turnpike/kafka'
import { seal } from '@turnpike/sealing'
import { packContent } from '@turnpike/storage'
import { annotateSpan } from '@turnpike/telemetry/tracing'
import { holdLease } from './hold-lease.ts'
import { endOf, type JobEnd, type JobTimes, OUTCOME_UNKNOWN, succeededEvent, unsuccessfulEvent } from './job-end.ts'
import { publishOutcome } from './publish-outcome.ts'
import { retryUntilDone } from './retry-until-done.ts'
import { type StartDeps, startJob } from './start-job.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

export type CompleteDeps = StartDeps & {
  claims: ExecutionClaims
  publisher: Pick<Publisher, 'publish'>
  /** Of the outcomes that are published. */
  eventSchema: EventSchema
  metrics: WorkerMetrics
  /** Names this process in its claims. */
  owner: string
  /** A worker that died keeps its jobs from the others for this long. */
  leaseMs: number
  /** Deletes what else was stored for a job whose end is certain. May throw: what is left must end by itself. */
  discard?: ((job: JobEvent) => Promise<void>) | undefined
}

/**
 * The handler of a job topic: one provider call per job, its outcome published, and only then done, so that the offset may move.
 * Once the provider was called nothing is thrown back to the consumer: sealing, packing and publishing are repeated here, where the
 * answer still is, because a second delivery would be a second call.
 */
export function completeJobs(deps: CompleteDeps): MessageHandler {
  // A job that is delivered again while it runs (published twice, or its partition came back) waits for the one that runs: the claim
  // cannot tell the two apart, they have one owner.
  const running = new Map<string, Promise<void>>()
  return async (message, { signal }) => {
    const decoded = jobCodec.decode(message.value)
    if (!decoded.ok) throw new PoisonMessage('schema_invalid', { cause: new Error(decoded.reason) })
    const { event: job } = decoded
    annotateSpan({ 'turnpike.request_id': job.requestId, 'turnpike.job_id': job.jobId })
    const sameJob = running.get(job.jobId)
    if (sameJob !== undefined) return await sameJob
    const work = completeJob(deps, job, message.headers, signal).finally(() => running.delete(job.jobId))
    running.set(job.jobId, work)
    await work
  }
}

async function completeJob(deps: CompleteDeps, job: JobEvent, headers: MessageHeaders, signal: AbortSignal): Promise<void> {
  const claim = await deps.claims.start(job.jobId, deps.owner, deps.leaseMs)
  switch (claim.status) {
    case 'finished':
      // It was published once more after its end, and its request with it.
      return await discardStored(deps, job, { isDefinite: true })
    case 'running_elsewhere':
      throw new Error(`another worker holds this job for ${claim.retryInMs} ms`)
    case 'too_many_starts':
      deps.metrics.startsExhausted()
      deps.logger.error({ jobId: job.jobId, requestId: job.requestId }, 'the job was started before and never finished')
      return await conclude(deps, job, { end: OUTCOME_UNKNOWN, startedAt: null }, headers, signal)
    case 'started': {
      const lease = holdLease(deps, job.jobId, deps.owner)
      try {
        const startedAt = deps.now()
        deps.metrics.waited(startedAt - job.admittedAt)
        const end = await startJob(deps, job, signal)
        await conclude(deps, job, { end: endOf(claim.start, end), startedAt }, headers, signal)
      } finally {
        lease.release()
      }
    }
  }
}

async function conclude(
  deps: CompleteDeps,
  job: JobEvent,
  { end, startedAt }: { end: JobEnd; startedAt: number | null },
  headers: MessageHeaders,
  signal: AbortSignal,
): Promise<void> {
  const { jobId, requestId, model } = job
  const times = { startedAt, finishedAt: deps.now() }
  const onFailure = (error: unknown, failures: number) =>
    deps.logger.warn({ jobId, failures, error }, 'the outcome could not be published, trying again')
  const outcome = await retryUntilDone(() => outcomeOf(deps, job, end, times), { signal, onFailure })
  await retryUntilDone(() => publishOutcome(deps, outcome, headers), { signal, onFailure })
  deps.metrics.published(outcome)
  deps.logger.info({ jobId, requestId, model, outcome: outcome.kind, tookMs: deps.now() - job.admittedAt }, 'job done')
  // Not finishing the claim costs at most one more call, if the process also dies before its offset is committed.
  await deps.claims.finish(jobId).catch((error: unknown) => deps.logger.warn({ jobId, error }, 'the claim was not closed'))
  await discardStored(deps, job, { isDefinite: end.kind !== 'ambiguous' })
}

/** Prompts stay nowhere longer than they are needed. Best effort: what is left is swept a day later. */
async function discardStored(
  { store, discard, logger }: Pick<CompleteDeps, 'store' | 'discard' | 'logger'>,
  job: JobEvent,
  { isDefinite }: { isDefinite: boolean },
): Promise<void> {
  const left = (error: unknown) => logger.warn({ jobId: job.jobId, error }, 'what was stored for the job was not deleted')
  if ('ref' in job.request) await store.delete(job.request.ref).catch(left)
  if (isDefinite) await discard?.(job).catch(left)
}

async function outcomeOf(deps: CompleteDeps, job: JobEvent, end: JobEnd, times: JobTimes): Promise<OutcomeEvent> {
  if (end.kind !== 'succeeded') return unsuccessfulEvent(job, times, end)
  const { body, contentType, usage } = end
  const sealed = seal(deps.keyring, body, sealedFor.result(job.jobId))
  // A name of its own for every execution: a second one must not replace what the first one's outcome refers to.
  const content = await packContent(deps.store, sealed, `results/${job.jobId}-${randomUUID()}`)
  return succeededEvent(job, times, { contentType, body: content, sha256: sha256Hex(body), bytes: body.length }, usage)
}

/** A job that cannot be read is not executed: its key is freed, where the event still says which one that is. */
export function reportDeadLetter(
  deps: Pick<CompleteDeps, 'publisher' | 'eventSchema' | 'metrics' | 'logger' | 'now'>,
): (message: ConsumedMessage, reason: string) => Promise<void> {
  return async (message, reason) => {
    const ids = readableIds(message.value)
    deps.logger.error({ jobId: ids?.jobId, partition: message.partition, reason }, 'a job cannot be read')
    if (ids === undefined) return
    const outcome = unsuccessfulEvent(
      ids,
      { startedAt: null, finishedAt: deps.now() },
      { kind: 'failed', code: 'job_unreadable' },
    )
    await publishOutcome(deps, outcome, message.headers)
    deps.metrics.published(outcome)
  }
}

function readableIds(value: Buffer): { jobId: string; keyHash: string } | undefined {
  try {
    const { jobId, keyHash } = JSON.parse(value.toString('utf8')) as { jobId?: unknown; keyHash?: unknown }
    if (typeof jobId !== 'string' || !/^[0-9a-f]{64}$/.test(jobId)) return undefined
    if (typeof keyHash !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(keyHash)) return undefined
    return { jobId, keyHash }
  } catch {
    return undefined
  }
}
