import type { JobEvent } from '@turnpike/contracts'
import {
  type CallLimits,
  callTargets,
  type ProviderFailure,
  type ProviderOutcome,
  type TargetCall,
  type TargetDeps,
} from '@turnpike/providers'
import type { Logger } from '@turnpike/service'
import {
  type JobLimits,
  type NotCalled,
  notCalled,
  type UnsuccessfulEnd,
  unsuccessfulEnd,
  type WorkerMetrics,
} from '@turnpike/worker'

/** What is known of a result once it was looked at; `why` from a closed set, for the log. */
export type Verdict<T> = { ok: true; value: T } | { ok: false; why: string }

export type Route<Upstream> = readonly { upstream: Upstream; target: string }[]
export type CallDeps = { targets: TargetDeps; metrics: WorkerMetrics; logger: Logger }
export type Called<T> = { kind: 'succeeded'; value: T } | UnsuccessfulEnd | NotCalled

/** Executed and billed, nothing to give to the client: definite, and not repeated at our cost. */
const BROKEN: ProviderFailure = {
  kind: 'failed',
  code: 'provider_unusable_answer',
  reason: 'broken_result',
  transient: false,
  executed: true,
}

/** Asks the targets of a job's model for a result and believes none that `verify` does not: what is broken was executed, for nothing. */
export async function callAndVerify<Upstream, Result, Verified>(
  deps: CallDeps,
  job: JobEvent,
  route: Route<Upstream> | undefined,
  ask: {
    call: (upstream: Upstream, target: string, limits: CallLimits) => Promise<ProviderOutcome<Result>>
    verify: (result: Result) => Verdict<Verified> | Promise<Verdict<Verified>>
  },
  limits: JobLimits,
): Promise<Called<Verified>> {
  // Another replica's configuration offered it: ours is wrong, or it was taken back since.
  if (route === undefined) return notCalled('provider_unavailable')
  const { jobId, requestId, model } = job
  const calls = route.map<TargetCall<Verified>>(({ upstream, target }) => async (own) => {
    const outcome = await ask.call(upstream, target, own)
    if (outcome.kind !== 'succeeded') return outcome
    const verdict = await ask.verify(outcome.value)
    if (verdict.ok) return { kind: 'succeeded', value: verdict.value }
    deps.logger.error({ jobId, requestId, model, why: verdict.why }, 'the provider sent a broken result')
    return BROKEN
  })
  const callEnded = deps.metrics.callStarted(model)
  const outcome = await callTargets(deps.targets, model, calls, limits)
  callEnded(outcome)
  if (outcome.kind === 'succeeded') return outcome
  const { kind, code, reason } = outcome
  deps.logger.warn({ jobId, requestId, model, kind, code, reason }, 'provider call failed')
  return unsuccessfulEnd(outcome)
}
