import type { Metrics } from '@turnpike/service'

export type LedgerMetrics = ReturnType<typeof ledgerMetrics>

/** Every label comes from a closed set of ours. */
export function ledgerMetrics(metrics: Metrics) {
  return {
    jobs: metrics.counter('ledger_jobs_recorded_total', 'Jobs recorded, by their first state', ['state']),
    outcomes: metrics.counter('ledger_outcomes_total', 'Outcomes taken, by their kind and what became of them', [
      'kind',
      'became',
    ]),
    execution: metrics.histogram(
      'turnpike_job_execution_seconds',
      'From the start of a job in its worker to its outcome, in seconds, as the workers tell',
      ['kind'],
    ),
    paymentMoves: metrics.counter('ledger_payment_moves_total', 'Moves of payments between states', ['from', 'to']),
    settlement: metrics.histogram('ledger_settlement_seconds', 'From the stored result to the committed receipt, in seconds'),
    deferred: metrics.counter(
      'ledger_deferred_settlements_total',
      'New payments left to the reconciler because too many were under way',
    ),
    unreadablePayments: metrics.counter(
      'ledger_unreadable_payments_total',
      'Stored payments that could not be opened to be settled: a fault of ours, they wait',
      ['reason'],
    ),
    lateTransfers: metrics.counter('ledger_late_transfers_total', 'Transfers of payments that were void: to be refunded'),
    overdueJobs: metrics.counter('ledger_overdue_jobs_total', 'Jobs without an outcome past their deadline and grace'),
    sweptObjects: metrics.counter('ledger_swept_objects_total', 'Stored objects that were left behind and deleted late', [
      'prefix',
    ]),
    expiredResults: metrics.counter('ledger_expired_results_total', 'Results deleted after their time'),
  }
}
