import type { OutcomeEvent, UnsuccessfulOutcome } from '@turnpike/contracts'
import type { ParallelConsumer } from '@turnpike/kafka'
import type { Metrics } from '@turnpike/service'

/** How a provider call ended; `reason` from a closed set that names no upstream, no target and no content. */
export type CallEnd = { kind: 'succeeded' } | { kind: UnsuccessfulOutcome['kind']; reason: string }

export type WorkerMetrics = {
  /** Counts a call from now until its end is given to the returned function. */
  callStarted(model: string): (end: CallEnd) => void
  published(outcome: OutcomeEvent): void
}

/** Labels are public models and closed sets of codes. */
export function workerMetrics(metrics: Metrics): WorkerMetrics {
  const inFlight = metrics.gauge('turnpike_provider_calls_in_flight', 'Provider calls that have not ended', ['model'])
  const calls = metrics.counter('turnpike_provider_calls_total', 'Provider calls by how they ended', [
    'model',
    'outcome',
    'reason',
  ])
  const seconds = metrics.histogram('turnpike_provider_call_seconds', 'Duration of provider calls', ['model', 'outcome'])
  const outcomes = metrics.counter('turnpike_outcomes_published_total', 'Outcomes published', ['kind', 'code'])
  return {
    callStarted(model) {
      const startedMs = performance.now()
      inFlight.inc({ model })
      return (end) => {
        inFlight.dec({ model })
        calls.inc({ model, outcome: end.kind, reason: end.kind === 'succeeded' ? 'none' : end.reason })
        seconds.observe({ model, outcome: end.kind }, (performance.now() - startedMs) / 1000)
      }
    },
    published(outcome) {
      outcomes.inc({ kind: outcome.kind, code: outcome.kind === 'succeeded' ? 'none' : outcome.code })
    },
  }
}

export function consumerMetrics(metrics: Metrics, consumer: Pick<ParallelConsumer, 'stats'>): void {
  metrics.gauge('turnpike_jobs_in_flight', 'Jobs being worked on', [], (gauge) => gauge.set(consumer.stats().inFlight))
  metrics.gauge('turnpike_jobs_held', 'Jobs in memory: worked on, fetched ahead or waiting to be tried again', [], (gauge) =>
    gauge.set(consumer.stats().held),
  )
  metrics.gauge('turnpike_jobs_lag', 'Jobs of this replica that are not finished, as of the last fetch', [], (gauge) =>
    gauge.set(sumOf(consumer, ({ lag }) => lag)),
  )
  metrics.gauge('turnpike_jobs_uncommitted', 'Jobs that a crash would deliver again', [], (gauge) =>
    gauge.set(sumOf(consumer, ({ uncommitted }) => uncommitted)),
  )
}

type PartitionStats = ReturnType<ParallelConsumer['stats']>['partitions'][string]

function sumOf(consumer: Pick<ParallelConsumer, 'stats'>, count: (partition: PartitionStats) => number): number {
  return Object.values(consumer.stats().partitions).reduce((sum, partition) => sum + count(partition), 0)
}
