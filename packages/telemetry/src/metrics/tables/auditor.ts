import { counter, gauge } from '../metric-table.ts'

const last = (help: string) => `${help}, in the last complete audit.`

export const AUDITOR_METRICS = {
  differences: gauge('turnpike_audit_differences', last('Differences between chain and ledger')),
  transfers: gauge('turnpike_audit_transfers', last('Transfers by authorizations that were presented here')),
  receipts: gauge('turnpike_audit_receipts', last('Receipts fetched and found good')),
  results: gauge('turnpike_audit_results', last('Results fetched and found good')),
  refundsDue: gauge('turnpike_audit_refunds_due', last('Late transfers on void payments')),
  foreignTransfers: gauge('turnpike_audit_foreign_transfers', last('Transfers that strangers sent')),
  duration: gauge('turnpike_audit_duration_seconds', last('Time taken')),
  lastRun: gauge('turnpike_audit_last_run_timestamp_seconds', 'When the last complete audit ended; 0 while there was none.'),
  interval: gauge('turnpike_audit_interval_seconds', 'From the begin of one audit to the next.'),
  runs: counter('turnpike_audit_runs_total', 'Audits that were carried out to their end.'),
  failedRuns: counter('turnpike_audit_failed_runs_total', 'Audits that could not be carried out.'),
}
