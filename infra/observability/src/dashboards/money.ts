import { type Dashboard, perSecond, quantile } from './panel.ts'

export const MONEY: Dashboard = {
  uid: 'turnpike-money',
  title: 'Turnpike: money',
  says: 'Does chain and ledger agree, what is undecided, what is at risk, and do settlements go through.',
  rows: [
    {
      title: 'The books',
      panels: [
        {
          title: 'Differences',
          says: 'Between chain and ledger in the last complete audit. One is an emergency.',
          kind: 'stat',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'max(turnpike_audit_differences)', legend: '' }],
        },
        {
          title: 'Last audit',
          says: 'When the last complete one ended.',
          kind: 'stat',
          unit: 'dateTimeFromNow',
          queries: [{ expr: 'max(turnpike_audit_last_run_timestamp_seconds) * 1000', legend: '' }],
        },
        {
          title: 'Refunds due',
          says: 'Transfers that came late, on payments that counted as failed.',
          kind: 'stat',
          unit: 'none',
          alarm: 1,
          queries: [{ expr: 'max(turnpike_audit_refunds_due)', legend: '' }],
        },
        {
          title: 'Transfers of strangers',
          says: 'Money that came without a request. Nothing to be done.',
          kind: 'stat',
          unit: 'none',
          queries: [{ expr: 'max(turnpike_audit_foreign_transfers)', legend: '' }],
        },
        {
          title: 'Audited',
          says: 'How much the last audit held against each other.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'max(turnpike_audit_transfers)', legend: 'transfers' },
            { expr: 'max(turnpike_audit_receipts)', legend: 'receipts' },
            { expr: 'max(turnpike_audit_results)', legend: 'results' },
          ],
        },
        {
          title: 'Audits',
          says: 'Carried out, and not.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum(increase(turnpike_audit_runs_total[1h]))', legend: 'complete' },
            { expr: 'sum(increase(turnpike_audit_failed_runs_total[1h]))', legend: 'failed' },
          ],
        },
      ],
    },
    {
      title: 'Settlements',
      panels: [
        {
          title: 'Settled',
          says: 'Value of the receipts, per hour.',
          kind: 'lines',
          unit: 'currencyUSD',
          queries: [{ expr: 'sum(rate(turnpike_ledger_settled_usdc_total[$__rate_interval])) * 3600', legend: 'USDC per hour' }],
        },
        {
          title: 'Moves of payments',
          says: 'From settling to settled is the rule; unknown is decided later by the chain; void was not paid.',
          kind: 'lines',
          unit: 'ops',
          queries: [{ expr: perSecond('turnpike_ledger_payment_moves_total', ['from', 'to']), legend: '{{from}} to {{to}}' }],
        },
        {
          title: 'From result to receipt',
          says: 'Clients wait for it.',
          kind: 'lines',
          unit: 's',
          alarm: 20,
          queries: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, 'turnpike_ledger_settlement_seconds'),
            legend: `p${q * 100}`,
          })),
        },
        {
          title: 'Answers of the facilitator',
          says: 'To submissions. `refused_operator` is a fault of ours.',
          kind: 'lines',
          unit: 'ops',
          queries: [{ expr: perSecond('turnpike_ledger_settlement_answers_total', ['answer']), legend: '{{answer}}' }],
        },
        {
          title: 'Undecided payments',
          says: 'Unknown ones are asked after on the chain until it says.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'max by (state) (turnpike_ledger_undecided_payments)', legend: '{{state}}' }],
        },
        {
          title: 'Oldest undecided payment',
          says: 'Grows while the chain or the facilitator is away.',
          kind: 'lines',
          unit: 's',
          alarm: 600,
          queries: [{ expr: 'max by (state) (turnpike_ledger_oldest_undecided_payment_seconds)', legend: '{{state}}' }],
        },
        {
          title: 'Trouble',
          says: 'Late transfers are to be refunded; unreadable payments wait for a key or a store; deferred ones go at the pace of the reconciler.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum(increase(turnpike_ledger_late_transfers_total[1h]))', legend: 'late transfers' },
            { expr: 'sum(increase(turnpike_ledger_unreadable_payments_total[1h]))', legend: 'unreadable' },
            { expr: 'sum(increase(turnpike_ledger_deferred_settlements_total[1h]))', legend: 'deferred' },
          ],
        },
      ],
    },
    {
      title: 'Exposure',
      panels: [
        {
          title: 'Unsettled value',
          says: 'Work in flight or done and not paid. At the ceiling nothing is sold.',
          kind: 'lines',
          unit: 'currencyUSD',
          queries: [
            { expr: 'max(turnpike_exposure_usdc)', legend: 'exposure (Redis)' },
            { expr: 'max(turnpike_exposure_ceiling_usdc)', legend: 'ceiling' },
          ],
        },
        {
          title: 'Open value in the books',
          says: 'The same question to the ledger: jobs without an outcome, payments without a decision.',
          kind: 'lines',
          unit: 'currencyUSD',
          isStacked: true,
          queries: [
            { expr: 'max(turnpike_ledger_open_jobs_usdc)', legend: 'open jobs' },
            { expr: 'max by (state) (turnpike_ledger_undecided_usdc)', legend: '{{state}}' },
          ],
        },
      ],
    },
    {
      title: 'Facilitator',
      panels: [
        {
          title: 'Gas money',
          says: 'Of all accounts together, in ETH. Absent while the node does not answer.',
          kind: 'lines',
          unit: 'short',
          alarm: { below: 0.01 },
          queries: [{ expr: 'min(turnpike_facilitator_gas_money_eth)', legend: 'ETH' }],
        },
        {
          title: 'Time to settle',
          says: 'By result, 95 %.',
          kind: 'lines',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'turnpike_facilitator_settlement_seconds', ['result']), legend: '{{result}}' }],
        },
        {
          title: 'Verifications',
          says: 'By result. `busy` and `unavailable` close the shop for whoever asked.',
          kind: 'lines',
          unit: 'ops',
          queries: [{ expr: perSecond('turnpike_facilitator_verifications_total', ['result']), legend: '{{result}}' }],
        },
        {
          title: 'Queue and transactions',
          says: 'Settlements that no account has taken; transactions sent, and sent again with higher fees.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum(turnpike_facilitator_settlements_waiting)', legend: 'waiting' },
            { expr: 'sum(increase(turnpike_facilitator_transactions_sent_total[5m]))', legend: 'sent in 5 min' },
            { expr: 'sum(increase(turnpike_facilitator_transactions_replaced_total[5m]))', legend: 'replaced in 5 min' },
          ],
        },
        {
          title: 'Transfers per transaction',
          says: 'Half of the batches are at least this large. 1 while there is little to do.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: quantile(0.5, 'turnpike_facilitator_batch_size'), legend: 'p50' }],
        },
      ],
    },
  ],
}
