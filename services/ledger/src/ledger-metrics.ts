import type { Metrics } from '@turnpike/service'
import { LEDGER_METRICS } from '@turnpike/telemetry/metrics'

export type LedgerMetrics = ReturnType<typeof ledgerMetrics>

export function ledgerMetrics(metrics: Metrics) {
  return metrics.open(LEDGER_METRICS)
}
