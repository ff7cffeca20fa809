import { randomUUID } from 'node:crypto'
import type { TargetDeps } from './call-targets.ts'
import { BREAKER_POLICY, type BreakerChange, circuitBreakers, type SharedHealth, type TargetName } from './circuit-breaker.ts'
import type { ProviderOutcome } from './provider-outcome.ts'

export type TargetReport = {
  called(target: TargetName, outcome: ProviderOutcome<unknown>, tookMs: number): void
  changed(target: TargetName, change: BreakerChange): void
}

/** What a worker process needs to call the targets of its models: their circuit breakers, and who is told. */
export function openTargets(options: {
  shared: SharedHealth
  report: TargetReport
  breakerFailures: number
  breakerOpenMs: number
  breakerMaxOpenMs: number
}): TargetDeps {
  const { shared, report, breakerFailures, breakerOpenMs, breakerMaxOpenMs } = options
  return {
    breakerOf: circuitBreakers({
      policy: {
        ...BREAKER_POLICY,
        failures: breakerFailures,
        leastOpenMs: breakerOpenMs,
        mostOpenMs: Math.max(breakerOpenMs, breakerMaxOpenMs),
      },
      shared,
      now: Date.now,
      newProbe: randomUUID,
      onChange: report.changed,
    }),
    onCall: report.called,
  }
}
