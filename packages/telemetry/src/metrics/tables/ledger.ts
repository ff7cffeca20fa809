import { counter, gauge, histogram } from '../metric-table.ts'

const PAYMENT_STATES = ['settling', 'unknown', 'settled', 'void'] as const
const UNDECIDED = ['settling', 'unknown'] as const

export const LEDGER_METRICS = {
  jobs: counter('turnpike_ledger_jobs_recorded_total', 'Jobs recorded, by their first state.', {
    state: ['admitted', 'superseded'],
  }),
  outcomes: counter('turnpike_ledger_outcomes_total', 'Outcomes taken, by their kind and what became of them.', {
    kind: ['succeeded', 'refused', 'failed', 'ambiguous'],
    became: ['stored', 'ended', 'superseded', 'already_ended'],
  }),
  execution: histogram('turnpike_ledger_execution_seconds', "From a worker's begin with a job to its end, as its outcome says.", {
    kind: ['succeeded', 'refused', 'failed', 'ambiguous'],
  }),
  paymentMoves: counter('turnpike_ledger_payment_moves_total', 'Moves of payments between states.', {
    from: PAYMENT_STATES,
    to: PAYMENT_STATES,
  }),
  settlement: histogram('turnpike_ledger_settlement_seconds', 'From the stored result to the committed receipt.'),
  settlementAnswers: counter('turnpike_ledger_settlement_answers_total', 'What the facilitator answered to a submission.', {
    answer: ['settled', 'refused_payer', 'refused_operator', 'unknown'],
  }),
  settledUsdc: counter('turnpike_ledger_settled_usdc_total', 'Value of the receipts that were committed, in USDC.'),
  settlementsInHand: gauge('turnpike_ledger_settlements_in_hand', 'Settlements that this process works on.'),
  deferred: counter(
    'turnpike_ledger_deferred_settlements_total',
    'New payments left to the reconciler because too many were under way.',
  ),
  unreadablePayments: counter(
    'turnpike_ledger_unreadable_payments_total',
    'Stored payments that could not be opened to be settled: a fault of ours, they wait.',
    { reason: ['seal_broken', 'not_there', 'malformed', 'other_payment', 'store_unavailable'] },
  ),
  lateTransfers: counter('turnpike_ledger_late_transfers_total', 'Transfers of payments that were void: to be refunded.'),
  overdueJobs: counter('turnpike_ledger_overdue_jobs_total', 'Jobs without an outcome past their deadline and grace.'),
  sweptObjects: counter('turnpike_ledger_swept_objects_total', 'Stored objects that were left behind and deleted late.', {
    prefix: ['requests/', 'staging/', 'results/', 'media/image/', 'media/speech/'],
  }),
  expiredResults: counter('turnpike_ledger_expired_results_total', 'Results deleted after their time.'),
  undecided: gauge(
    'turnpike_ledger_undecided_payments',
    'Payments whose settlement is not decided. Every replica says the same: take the maximum, not the sum.',
    { state: UNDECIDED },
  ),
  oldestUndecided: gauge(
    'turnpike_ledger_oldest_undecided_payment_seconds',
    'Age of the oldest payment whose settlement is not decided; 0 without one. Every replica says the same.',
    { state: UNDECIDED },
  ),
  undecidedUsdc: gauge(
    'turnpike_ledger_undecided_usdc',
    'Value of the payments whose settlement is not decided, in USDC. Every replica says the same.',
    { state: UNDECIDED },
  ),
  openJobs: gauge('turnpike_ledger_open_jobs', 'Jobs that are recorded and have no outcome. Every replica says the same.'),
  openJobsUsdc: gauge(
    'turnpike_ledger_open_jobs_usdc',
    'Price of the jobs that have no outcome, in USDC. Every replica says the same.',
  ),
  oldestOpenJob: gauge(
    'turnpike_ledger_oldest_open_job_seconds',
    'Age of the oldest job that has no outcome; 0 without one. Every replica says the same.',
  ),
}
