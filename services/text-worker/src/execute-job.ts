import { randomUUID } from 'node:crypto'
import type { JobEvent } from '@turnpike/contracts'
import {
  callFirstAvailable,
  readChatRequest,
  type TextCompletion,
  type TextRoute,
  writeChatCompletion,
} from '@turnpike/providers'
import type { Keyring } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { endedBeforeCall, type JobEnd, unsuccessfulEnd } from './job-end.ts'
import { readRequest } from './read-request.ts'
import { retryUntilDone } from './retry-until-done.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

export type ExecuteDeps = {
  routes: ReadonlyMap<string, TextRoute>
  store: ObjectStore
  keyring: Keyring
  metrics: WorkerMetrics
  logger: Logger
  now: () => number
}

/** One provider call for one claimed start of a job, or none where the job cannot be started any more. Throws only what is a bug. */
export async function executeJob(deps: ExecuteDeps, job: JobEvent, start: number): Promise<JobEnd> {
  const leftMs = job.deadline - deps.now()
  if (leftMs <= 0) return endedBeforeCall(start, 'deadline_passed')
  const signal = AbortSignal.timeout(leftMs)

  const route = deps.routes.get(job.model)
  // Another replica's configuration offered it: ours is wrong, or it was taken back since.
  if (route === undefined) return endedBeforeCall(start, 'provider_unavailable')
  if (job.endpoint !== '/v1/chat/completions') return endedBeforeCall(start, 'job_unreadable')

  const read = await readInTime(deps, job, signal)
  if (read === 'too_late') return endedBeforeCall(start, 'deadline_passed')
  if (read === undefined) return endedBeforeCall(start, 'job_unreadable')

  const callEnded = deps.metrics.callStarted(job.model)
  const outcome = await callFirstAvailable(route, readChatRequest(read), { signal, deadlineMs: job.deadline })
  callEnded(outcome)
  if (outcome.kind === 'succeeded') return chatAnswer(deps, job, outcome.value)
  const { kind, code, reason } = outcome
  deps.logger.warn(
    { jobId: job.jobId, requestId: job.requestId, model: job.model, start, kind, code, reason },
    'provider call failed',
  )
  return unsuccessfulEnd(outcome)
}

async function readInTime(deps: ExecuteDeps, job: JobEvent, signal: AbortSignal) {
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

/** The body exactly as the client will get it. */
function chatAnswer(deps: Pick<ExecuteDeps, 'now'>, job: JobEvent, completion: TextCompletion): JobEnd {
  const body = writeChatCompletion(completion, {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(deps.now() / 1000),
    model: job.model,
  })
  return {
    kind: 'succeeded',
    body: Buffer.from(JSON.stringify(body)),
    contentType: 'application/json',
    usage: completion.usage,
  }
}
