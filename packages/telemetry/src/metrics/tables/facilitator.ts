import { counter, gauge, histogram } from '../metric-table.ts'

export const FACILITATOR_METRICS = {
  verifications: counter('turnpike_facilitator_verifications_total', 'Payments verified, by result.', {
    result: ['valid', 'rejected', 'unavailable', 'busy'],
  }),
  settlements: histogram('turnpike_facilitator_settlement_seconds', 'Time to settle a payment, by result.', {
    result: ['settled', 'pending', 'refused', 'unavailable', 'busy'],
  }),
  batches: histogram('turnpike_facilitator_batch_size', 'Transfers per transaction.', {}, [1, 2, 5, 10, 20, 30, 50, 75, 100]),
  sent: counter('turnpike_facilitator_transactions_sent_total', 'Transactions that a node took.'),
  replaced: counter('turnpike_facilitator_transactions_replaced_total', 'Transactions sent again with higher fees.'),
  waiting: gauge('turnpike_facilitator_settlements_waiting', 'Settlements that no account has taken yet.'),
  gasMoney: gauge(
    'turnpike_facilitator_gas_money_eth',
    'What all signers together can spend on gas; absent while the node does not answer.',
  ),
}
