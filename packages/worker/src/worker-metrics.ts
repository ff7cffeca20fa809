import type { OutcomeEvent, UnsuccessfulOutcome } from '@turnpike/contracts'
import type { Metrics } from '@turnpike/service'
import { WORKER_METRICS } from '@turnpike/telemetry/metrics'

/** How a provider call ended; `reason` from a closed set that names no upstream, no target and no content. */
export type CallEnd = { kind: 'succeeded' } | { kind: UnsuccessfulOutcome['kind']; reason: string }

export type WorkerMetrics = {
  /** Counts a call from now until its end is given to the returned function. */
  callStarted(model: string): (end: CallEnd) => void
  /** From admission to the start of the work. */
  waited(ms: number): void
  startsExhausted(): void
  published(outcome: OutcomeEvent): void
}

export function workerMetrics(metrics: Metrics): WorkerMetrics {
  const table = metrics.open(WORKER_METRICS)
  return {
    callStarted(model) {
      const startedMs = performance.now()
      table.callsInFlight.add({ model }, 1)
      return (end) => {
        table.callsInFlight.add({ model }, -1)
        table.calls.count({ model, outcome: end.kind, reason: end.kind === 'succeeded' ? 'none' : end.reason })
        table.callSeconds.observe({ model, outcome: end.kind }, (performance.now() - startedMs) / 1000)
      }
    },
    // The clocks of two machines may differ by a little.
    waited: (ms) => table.jobWait.observe({}, Math.max(0, ms) / 1000),
    startsExhausted: () => table.unfinishedStarts.count({}),
    published(outcome) {
      table.outcomes.count({ kind: outcome.kind, code: outcome.kind === 'succeeded' ? 'none' : outcome.code })
    },
  }
}
