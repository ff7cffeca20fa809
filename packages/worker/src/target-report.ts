import type { Logger, Metrics } from '@turnpike/service'
import { TARGET_METRICS } from '@turnpike/telemetry/metrics'
import type { CallEnd } from './worker-metrics.ts'

/** A target by its public model and its place in that model's list: never by the upstream's own name. */
type Target = { model: string; index: number; of: number }
type Change = { change: 'opened'; forMs: number; reason: string } | { change: 'closed' }

export type TargetReport = {
  called(target: Target, end: CallEnd, tookMs: number): void
  changed(target: Target, change: Change): void
}

/** Nothing but a change of the operator's configuration ends these. */
const OPERATORS_FAULTS: ReadonlySet<string> = new Set(['credentials_refused', 'target_missing', 'voice_missing'])

/** What happens to the targets of upstreams, as metrics and log lines. */
export function targetReport(metrics: Metrics, logger: Logger): TargetReport {
  const table = metrics.open(TARGET_METRICS)
  const labels = ({ model, index }: Target) => ({ model, target: String(index) })
  return {
    called(target, end, tookMs) {
      const reason = end.kind === 'succeeded' ? 'none' : end.reason
      // Shown as closed before it ever opens.
      table.open.add(labels(target), 0)
      table.calls.count({ ...labels(target), outcome: end.kind, reason })
      table.seconds.observe(labels(target), tookMs / 1000)
      if (OPERATORS_FAULTS.has(reason)) logger.error({ ...labels(target), reason }, 'the upstream refuses our configuration')
    },
    changed(target, change) {
      table.open.set(labels(target), change.change === 'opened' ? 1 : 0)
      if (change.change === 'closed') logger.info(labels(target), 'the target is called again')
      else logger.warn({ ...labels(target), forMs: change.forMs, reason: change.reason }, 'the target is not called for a while')
    },
  }
}
