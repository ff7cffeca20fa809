import type { Metrics } from '@turnpike/service'
import { AUDITOR_METRICS } from '@turnpike/telemetry/metrics'
import type { AuditReport } from './audit-book.ts'

export type AuditorMetrics = {
  show(report: AuditReport, atMs: number, tookMs: number): void
  failed(): void
}

/** The last complete audit; nothing but the time of none before the first, so that silence is not taken for a clean book. */
export function auditorMetrics(metrics: Metrics, everyMs: number): AuditorMetrics {
  const table = metrics.open(AUDITOR_METRICS)
  table.interval.set({}, everyMs / 1000)
  table.lastRun.set({}, 0)
  return {
    show(report, atMs, tookMs) {
      table.runs.count({})
      table.differences.set({}, report.differenceCount)
      table.transfers.set({}, report.transfers)
      table.receipts.set({}, report.receipts)
      table.results.set({}, report.results)
      table.refundsDue.set({}, report.refundCount)
      table.foreignTransfers.set({}, report.foreignCount)
      table.duration.set({}, tookMs / 1000)
      table.lastRun.set({}, atMs / 1000)
    },
    failed: () => table.failedRuns.count({}),
  }
}
