import { randomUUID } from 'node:crypto'
import type { EffectiveChatRequest, JobEvent } from '@turnpike/contracts'
import {
  callFirstAvailable,
  readChatRequest,
  type TextCompletion,
  type TextRoute,
  type TokenUsage,
  writeChatCompletion,
} from '@turnpike/providers'
import type { Logger } from '@turnpike/service'
import { type ExecuteJob, type JobEnd, type JobUsage, notCalled, unsuccessfulEnd, type WorkerMetrics } from '@turnpike/worker'

export type ExecuteDeps = {
  routes: ReadonlyMap<string, TextRoute>
  metrics: WorkerMetrics
  logger: Logger
  now: () => number
}

/** One provider call for one text job. */
export function executeJob(deps: ExecuteDeps): ExecuteJob {
  return async (job, request, limits) => {
    const route = deps.routes.get(job.model)
    // Another replica's configuration offered it: ours is wrong, or it was taken back since.
    if (route === undefined) return notCalled('provider_unavailable')
    if (job.endpoint !== '/v1/chat/completions') return notCalled('job_unreadable')

    const callEnded = deps.metrics.callStarted(job.model)
    const outcome = await callFirstAvailable(route, readChatRequest(request as EffectiveChatRequest), limits)
    callEnded(outcome)
    if (outcome.kind === 'succeeded') return chatAnswer(deps, job, outcome.value)
    const { jobId, requestId, model } = job
    const { kind, code, reason } = outcome
    deps.logger.warn({ jobId, requestId, model, kind, code, reason }, 'provider call failed')
    return unsuccessfulEnd(outcome)
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
    usage: usageCounts(completion.usage),
  }
}

/** As they stand on the receipt. */
function usageCounts(usage: TokenUsage): JobUsage {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
