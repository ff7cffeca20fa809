import type { Metrics } from '@turnpike/service'

export interface FacilitatorMetrics {
  verified(result: 'valid' | 'rejected' | 'unavailable' | 'busy'): void
  settled(result: 'settled' | 'pending' | 'refused' | 'unavailable' | 'busy', seconds?: number): void
  batch(size: number): void
  sent(): void
  replaced(): void
  /** Read when somebody scrapes. */
  watch(sources: { waiting(): number; gasMoneyWei(): Promise<bigint> }): void
}

const BATCH_SIZES = [1, 2, 5, 10, 20, 30, 50, 75, 100]

export function createFacilitatorMetrics(metrics: Metrics): FacilitatorMetrics {
  const verifications = metrics.counter('facilitator_verifications_total', 'Payments verified, by result', ['result'])
  const settlements = metrics.histogram('facilitator_settlement_seconds', 'Time to settle a payment, by result', ['result'])
  const batches = metrics.histogram('facilitator_batch_size', 'Transfers per transaction', [], BATCH_SIZES)
  const sent = metrics.counter('facilitator_transactions_sent_total', 'Transactions that a node took')
  const replaced = metrics.counter('facilitator_transactions_replaced_total', 'Transactions sent again with higher fees')
  return {
    verified: (result) => verifications.inc({ result }),
    settled: (result, seconds = 0) => settlements.observe({ result }, seconds),
    batch: (size) => batches.observe(size),
    sent: () => sent.inc(),
    replaced: () => replaced.inc(),
    watch({ waiting, gasMoneyWei }) {
      metrics.gauge('facilitator_settlements_waiting', 'Settlements that no account has taken yet', [], (gauge) =>
        gauge.set(waiting()),
      )
      metrics.gauge('facilitator_gas_money_eth', 'What all signers together can spend on gas', [], async (gauge) => {
        const wei = await gasMoneyWei().catch(() => undefined)
        if (wei !== undefined) gauge.set(Number(wei) / 1e18)
      })
    },
  }
}
