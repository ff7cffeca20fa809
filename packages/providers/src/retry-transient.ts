import { setTimeout as delay } from 'node:timers/promises'
import type { CallLimits, ProviderOutcome } from './provider-outcome.ts'

export type RetryPolicy = {
  /** Further attempts after the first. */
  retries: number
  baseDelayMs: number
  /** A longer wait asked for by the upstream is passed on to the client instead: a held connection helps nobody. */
  maxDelayMs: number
  /** No attempt starts with less time than this before the deadline. */
  minCallMs: number
}
export const RETRY_POLICY: RetryPolicy = { retries: 2, baseDelayMs: 250, maxDelayMs: 8_000, minCallMs: 2_000 }

type RetryDeps = { policy: RetryPolicy; now: () => number; random: () => number }

/** Repeats a call whose failure was definite and transient. Nothing else is ever repeated: no upstream has an idempotency key. */
export async function retryTransient<T>(
  deps: RetryDeps,
  limits: CallLimits,
  call: () => Promise<ProviderOutcome<T>>,
): Promise<ProviderOutcome<T>> {
  const maxDelayMs = Math.min(deps.policy.maxDelayMs, limits.maxRetryDelayMs ?? Number.POSITIVE_INFINITY)
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await call()
    if (outcome.kind !== 'failed' || !outcome.transient || attempt >= deps.policy.retries) return outcome
    const waitMs = retryDelayMs(deps, attempt, outcome.retryAfterMs)
    if (waitMs > maxDelayMs || deps.now() + waitMs + deps.policy.minCallMs > limits.deadlineMs) return outcome
    try {
      await delay(waitMs, undefined, { signal: limits.signal })
    } catch {
      return outcome
    }
  }
}

/** The upstream's own figure is a lower bound; jitter spreads those that were refused together. */
export function retryDelayMs(deps: RetryDeps, attempt: number, retryAfterMs: number | undefined): number {
  const ceilingMs = deps.policy.baseDelayMs * 2 ** attempt
  if (retryAfterMs !== undefined) return Math.ceil(retryAfterMs + deps.random() * deps.policy.baseDelayMs)
  return Math.ceil(ceilingMs / 2 + (deps.random() * ceilingMs) / 2)
}
