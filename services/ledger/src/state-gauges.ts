import type { ParallelConsumer } from '@turnpike/kafka'
import type { Metrics } from '@turnpike/service'
import type { Database } from './database.ts'

export function observeConsumer(metrics: Metrics, consumer: Pick<ParallelConsumer, 'stats'>): void {
  metrics.gauge('ledger_consumer_in_flight', 'Events in work', [], (gauge) => gauge.set(consumer.stats().inFlight))
  metrics.gauge('ledger_consumer_lag', 'Events not yet fetched, as of the last fetch', [], (gauge) => {
    gauge.set(Object.values(consumer.stats().partitions).reduce((sum, { lag }) => sum + lag, 0))
  })
}

/** Read when scraped. All replicas say the same, so take one, not the sum. */
export function observeUndecided(metrics: Metrics, database: Database): void {
  metrics.gauge('ledger_undecided_payments', 'Payments whose settlement is not decided', ['state'], async (gauge) => {
    const rows = await database.$queryRaw<{ state: string; payments: bigint }[]>`
      SELECT state, count(*) AS payments FROM payments WHERE state IN ('settling', 'unknown') GROUP BY state`
    for (const state of ['settling', 'unknown'])
      gauge.set({ state }, Number(rows.find((row) => row.state === state)?.payments ?? 0))
  })
}
