import { randomUUID } from 'node:crypto'
import type { EffectiveChatRequest, EffectiveMessagesRequest, JobEvent } from '@turnpike/contracts'
import {
  CHAT_DIALECT,
  callFirstAvailable,
  firstCallOnly,
  type ImageFetcher,
  MESSAGES_DIALECT,
  type TargetDeps,
  type TextCompletion,
  type TextDialect,
  type TextRoute,
  type TokenUsage,
} from '@turnpike/providers'
import type { Logger } from '@turnpike/service'
import {
  type ExecuteJob,
  type JobEnd,
  type JobLimits,
  type JobUsage,
  type NotCalled,
  notCalled,
  unsuccessfulEnd,
  type WorkerMetrics,
} from '@turnpike/worker'

export type ExecuteDeps = {
  routes: ReadonlyMap<string, TextRoute>
  targets: TargetDeps
  fetchImages: ImageFetcher
  metrics: WorkerMetrics
  logger: Logger
  now: () => number
}

/** One provider call for one text job, in the dialect of its endpoint. */
export function executeJob(deps: ExecuteDeps): ExecuteJob {
  return async (job, request, limits) => {
    switch (job.endpoint) {
      case '/v1/chat/completions':
        return await complete(deps, CHAT_DIALECT, job, request as EffectiveChatRequest, limits)
      case '/v1/messages':
        return await complete(deps, MESSAGES_DIALECT, job, request as EffectiveMessagesRequest, limits)
      default:
        return notCalled('job_unreadable')
    }
  }
}

async function complete<Request extends { raw_output?: true }>(
  deps: ExecuteDeps,
  dialect: TextDialect<Request>,
  job: JobEvent,
  request: Request,
  limits: JobLimits,
): Promise<JobEnd | NotCalled> {
  const route = deps.routes.get(job.model)
  // Another replica's configuration offered it: ours is wrong, or it was taken back since.
  if (route === undefined) return notCalled('provider_unavailable')
  const { jobId, requestId, model } = job
  const fetched = await deps.fetchImages(dialect.imageUrls(request), limits.signal)
  if (limits.signal.aborted) return notCalled('deadline_passed')
  if (!fetched.ok) {
    deps.logger.info({ jobId, requestId, model, why: fetched.why }, 'an image of the request could not be fetched')
    return notCalled('image_unavailable', 'refused')
  }
  const asked = dialect.read(request, fetched.images)

  const callEnded = deps.metrics.callStarted(job.model)
  const outcome = await callFirstAvailable(deps.targets, { model: job.model, route }, asked, limits)
  callEnded(outcome)
  if (outcome.kind === 'succeeded') {
    const completion = asked.onlyFirstCall ? firstCallOnly(outcome.value) : outcome.value
    const body = dialect.write(completion, identityOf(deps, job), { rawOutput: request.raw_output === true })
    return answer(body, completion)
  }
  const { kind, code, reason } = outcome
  deps.logger.warn({ jobId, requestId, model, kind, code, reason }, 'provider call failed')
  return unsuccessfulEnd(outcome)
}

function identityOf(deps: Pick<ExecuteDeps, 'now'>, job: JobEvent) {
  return { model: job.model, createdS: Math.floor(deps.now() / 1000), newId: () => randomUUID().replaceAll('-', '') }
}

/** The body exactly as the client will get it. */
function answer(body: Record<string, unknown>, completion: TextCompletion): JobEnd {
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
