import type { Metrics } from '@turnpike/service'
import { FACILITATOR_METRICS } from '@turnpike/telemetry/metrics'

export interface FacilitatorMetrics {
  verified(result: 'valid' | 'rejected' | 'unavailable' | 'busy'): void
  settled(result: 'settled' | 'pending' | 'refused' | 'unavailable' | 'busy', seconds?: number): void
  batch(size: number): void
  sent(): void
  replaced(): void
  /** Read when somebody scrapes. */
  watch(sources: { waiting(): number; gasMoneyWei(): Promise<bigint> }): void
}

export function createFacilitatorMetrics(metrics: Metrics): FacilitatorMetrics {
  const table = metrics.open(FACILITATOR_METRICS)
  return {
    verified: (result) => table.verifications.count({ result }),
    settled: (result, seconds = 0) => table.settlements.observe({ result }, seconds),
    batch: (size) => table.batches.observe({}, size),
    sent: () => table.sent.count({}),
    replaced: () => table.replaced.count({}),
    watch({ waiting, gasMoneyWei }) {
      table.waiting.readBy((gauge) => gauge.set({}, waiting()))
      // Without an answer of the node there is no figure: an old one would hide that the money ran out.
      table.gasMoney.readBy(async (gauge) => gauge.set({}, Number(await gasMoneyWei()) / 1e18))
    },
  }
}
