import { CONSUMER_METRICS, type Metrics, PUBLISHER_METRICS } from '@turnpike/telemetry/metrics'
import type { ParallelConsumer } from './parallel-consumer.ts'
import type { Publisher } from './publisher.ts'

type PartitionStats = ReturnType<ParallelConsumer['stats']>['partitions'][string]

/** What a consumer holds, read at every scrape. */
export function showConsumer(metrics: Metrics, consumer: Pick<ParallelConsumer, 'stats' | 'state'>, slots: number): void {
  const table = metrics.open(CONSUMER_METRICS)
  table.slots.set({}, slots)
  table.up.readBy((gauge) => gauge.set({}, consumer.state() === 'up' ? 1 : 0))
  table.inFlight.readBy((gauge) => gauge.set({}, consumer.stats().inFlight))
  table.held.readBy((gauge) => gauge.set({}, consumer.stats().held))
  table.finished.follow({}, () => consumer.stats().finished)
  table.retried.follow({}, () => consumer.stats().retried)
  table.deadLettered.follow({}, () => consumer.stats().deadLettered)
  const byTopic =
    (of: (partitions: PartitionStats[]) => number) => (gauge: { set(labels: { topic: string }, value: number): void }) => {
      const topics = Map.groupBy(Object.entries(consumer.stats().partitions), ([name]) => name.slice(0, name.lastIndexOf('/')))
      for (const [topic, partitions] of topics) gauge.set({ topic }, of(partitions.map(([, stats]) => stats)))
    }
  table.partitions.readBy(byTopic((partitions) => partitions.length))
  table.lag.readBy(byTopic((partitions) => sum(partitions.map(({ lag }) => lag))))
  table.uncommitted.readBy(byTopic((partitions) => sum(partitions.map(({ uncommitted }) => uncommitted))))
  table.oldestUnfinished.readBy(
    byTopic((partitions) => Math.max(...partitions.map(({ oldestUnfinishedMs }) => oldestUnfinishedMs)) / 1000),
  )
}

export function showPublisher(metrics: Metrics, publisher: Pick<Publisher, 'queued' | 'state'>): void {
  const table = metrics.open(PUBLISHER_METRICS)
  table.queued.readBy((gauge) => gauge.set({}, publisher.queued().messages))
  table.queuedBytes.readBy((gauge) => gauge.set({}, publisher.queued().bytes))
  table.up.readBy((gauge) => gauge.set({}, publisher.state() === 'up' ? 1 : 0))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
