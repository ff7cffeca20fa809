import { setTimeout as pause } from 'node:timers/promises'
import type { Logger, Metrics } from '@turnpike/service'
import type { AuditReport } from './audit-book.ts'
import { describeFault } from './http-json.ts'

type Deps = {
  runAudit: () => Promise<AuditReport>
  everyMs: number
  metrics: Metrics
  logger: Logger
  now: () => number
  signal: AbortSignal
}

/** Audits again and again until the signal; the last result that was complete stands in the metrics, every difference in the log. */
export async function auditOnSchedule({ runAudit, everyMs, metrics, logger, now, signal }: Deps): Promise<void> {
  const gauges = auditGauges(metrics)
  const failed = metrics.counter('turnpike_audit_failed_runs_total', 'Audits that could not be carried out')
  while (!signal.aborted) {
    const startedMs = now()
    try {
      const report = await runAudit()
      gauges.show(report, now(), now() - startedMs)
      logReport(logger, report)
    } catch (error) {
      if (signal.aborted) return
      failed.inc()
      logger.error({ error }, `the audit could not be carried out: ${describeFault(error)}`)
    }
    const rest = everyMs - (now() - startedMs)
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => {})
  }
}

function auditGauges(metrics: Metrics) {
  const gauge = (name: string, help: string) => metrics.gauge(`turnpike_audit_${name}`, `${help}, in the last complete audit`)
  const differences = gauge('differences', 'Differences between chain and ledger')
  const transfers = gauge('transfers', 'Transfers by authorizations that were presented here')
  const receipts = gauge('receipts', 'Receipts fetched and found good')
  const results = gauge('results', 'Results fetched and found good')
  const refunds = gauge('refunds_due', 'Late transfers on void payments')
  const foreign = gauge('foreign_transfers', 'Transfers that strangers sent')
  const duration = gauge('duration_seconds', 'Time taken')
  const lastRun = gauge('last_run_timestamp_seconds', 'When it ended')
  return {
    show(report: AuditReport, atMs: number, tookMs: number) {
      differences.set(report.differenceCount)
      transfers.set(report.transfers)
      receipts.set(report.receipts)
      results.set(report.results)
      refunds.set(report.refundCount)
      foreign.set(report.foreignCount)
      duration.set(tookMs / 1000)
      lastRun.set(atMs / 1000)
    },
  }
}

function logReport(logger: Logger, report: AuditReport): void {
  const { range, transfers, receipts, results, differenceCount, refundCount, foreignCount, differences } = report
  const counts = { transfers, receipts, results, differences: differenceCount, refunds: refundCount, foreign: foreignCount }
  const level = differenceCount === 0 ? 'info' : 'error'
  logger[level]({ from: range.from.toString(), to: range.to.toString(), ...counts }, 'audited')
  for (const { code, detail, transaction, paymentId, jobId, receiptId } of differences) {
    logger.error({ code, detail, transaction, paymentId, jobId, receiptId }, 'difference between chain and ledger')
  }
}
