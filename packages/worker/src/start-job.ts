import type { JobEvent } from '@turnpike/contracts'
import type { Keyring } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { type JobEnd, type NotCalled, notCalled } from './job-end.ts'
import { readRequest } from './read-request.ts'
import { retryUntilDone } from './retry-until-done.ts'

export type JobLimits = {
  /** Fires at `deadlineMs` (epoch): by then the provider must have answered. */
  signal: AbortSignal
  deadlineMs: number
  /** Fires when this process lets go of the job. What stands between an answer and its outcome is repeated until then. */
  lifetime: AbortSignal
}

/**
 * The work of one kind of job: at most one provider call. `request` is the effective request of the job's endpoint as the gateway
 * admitted it. Throws only what is a bug, or a fault that outlasted `limits.lifetime`.
 */
export type ExecuteJob = (job: JobEvent, request: unknown, limits: JobLimits) => Promise<JobEnd | NotCalled>

export type StartDeps = { execute: ExecuteJob; store: ObjectStore; keyring: Keyring; logger: Logger; now: () => number }

/** Reads the request of a claimed job and executes it, or says why it cannot be started any more. */
export async function startJob(deps: StartDeps, job: JobEvent, lifetime: AbortSignal): Promise<JobEnd | NotCalled> {
  const leftMs = job.deadline - deps.now()
  if (leftMs <= 0) return notCalled('deadline_passed')
  // Not AbortSignal.timeout: its timer would outlive a job of two seconds by the minute that the job was given, thousands at once.
  const deadline = new AbortController()
  const { signal } = deadline
  const timer = setTimeout(() => deadline.abort(new DOMException('the deadline has passed', 'TimeoutError')), leftMs)
  try {
    const read = await readInTime(deps, job, signal)
    if (read === 'too_late') return notCalled('deadline_passed')
    if (read === 'unreadable') return notCalled('job_unreadable')
    return await deps.execute(job, read.request, { signal, deadlineMs: job.deadline, lifetime })
  } finally {
    clearTimeout(timer)
  }
}

async function readInTime(
  deps: StartDeps,
  job: JobEvent,
  signal: AbortSignal,
): Promise<{ request: unknown } | 'unreadable' | 'too_late'> {
  try {
    return await retryUntilDone(() => readRequest(deps, job), {
      signal,
      onFailure: (error) => deps.logger.warn({ jobId: job.jobId, error }, 'the request could not be fetched, trying again'),
    })
  } catch (error) {
    deps.logger.error({ jobId: job.jobId, error }, 'the request could not be fetched in time')
    return 'too_late'
  }
}
