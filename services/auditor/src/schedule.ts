import { setTimeout as pause } from 'node:timers/promises'
import type { Logger, Metrics } from '@turnpike/service'
import type { AuditReport } from './audit-book.ts'
import { auditorMetrics } from './auditor-metrics.ts'
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
  const shown = auditorMetrics(metrics, everyMs)
  while (!signal.aborted) {
    const startedMs = now()
    try {
      const report = await runAudit()
      shown.show(report, now(), now() - startedMs)
      logReport(logger, report)
    } catch (error) {
      if (signal.aborted) return
      shown.failed()
      logger.error({ error }, `the audit could not be carried out: ${describeFault(error)}`)
    }
    const rest = everyMs - (now() - startedMs)
    if (rest > 0) await pause(rest, undefined, { signal }).catch(() => {})
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
