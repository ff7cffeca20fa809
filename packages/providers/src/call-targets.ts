import { inCallSpan } from './call-span.ts'
import type { CircuitBreaker, TargetName } from './circuit-breaker.ts'
import type { CallLimits, ProviderFailure, ProviderOutcome } from './provider-outcome.ts'

/** One job at one target. Never throws for what a provider or a network can do. */
export type TargetCall<T> = (limits: CallLimits) => Promise<ProviderOutcome<T>>

export type TargetDeps = {
  breakerOf: (target: TargetName) => CircuitBreaker
  /** Told of every call, for metrics and logs. `tookMs` holds retries at that target. */
  onCall: (target: TargetName, outcome: ProviderOutcome<unknown>, tookMs: number) => void
}

/** While another target may be asked, only a short wait for the same one is worth it. */
const MAX_RETRY_DELAY_BEFORE_NEXT_MS = 500

const NOT_SENT: ProviderFailure = {
  kind: 'failed',
  code: 'provider_unavailable',
  reason: 'not_sent_in_time',
  transient: false,
  executed: false,
}

/**
 * Asks the targets of a model in their order, the next one only after a definite failure that executed nothing. A refusal is about
 * the request and an ambiguous outcome may have been executed: both end the search. A target whose circuit is open is passed over.
 */
export async function callTargets<T>(
  deps: TargetDeps,
  model: string,
  targets: readonly TargetCall<T>[],
  limits: CallLimits,
): Promise<ProviderOutcome<T>> {
  let failure = NOT_SENT
  for (const [index, call] of targets.entries()) {
    if (limits.signal.aborted) return failure
    const target = { model, index, of: targets.length }
    const turn = await deps.breakerOf(target).enter()
    if ('kind' in turn) {
      failure = moreTelling(failure, turn)
      continue
    }
    const isLast = index === targets.length - 1
    let outcome: ProviderOutcome<T> | undefined
    try {
      const startedMs = performance.now()
      const own = isLast ? limits : { ...limits, maxRetryDelayMs: MAX_RETRY_DELAY_BEFORE_NEXT_MS }
      outcome = await inCallSpan(target, () => call(own))
      deps.onCall(target, outcome, performance.now() - startedMs)
    } finally {
      turn.leave(outcome)
    }
    if (outcome.kind !== 'failed' || outcome.executed) return outcome
    failure = outcome
  }
  return failure
}

/** A target that was called says more than one that was passed over; of those, the one that opens first. */
function moreTelling(before: ProviderFailure, passedOver: ProviderFailure): ProviderFailure {
  if (before === NOT_SENT) return passedOver
  if (before.reason !== 'circuit_open') return before
  return (passedOver.retryAfterMs ?? 0) < (before.retryAfterMs ?? 0) ? passedOver : before
}
