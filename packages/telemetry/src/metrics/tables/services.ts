import type { MetricTable } from '../metric-table.ts'
import { AUDITOR_METRICS } from './auditor.ts'
import { CONSUMER_METRICS } from './consumer.ts'
import { FACILITATOR_METRICS } from './facilitator.ts'
import { GATEWAY_METRICS } from './gateway.ts'
import { LEDGER_METRICS } from './ledger.ts'
import { PUBLISHER_METRICS } from './publisher.ts'
import { TRACING_METRICS } from './tracing.ts'
import { TARGET_METRICS, WORKER_METRICS } from './worker.ts'

const WORKER = [WORKER_METRICS, TARGET_METRICS, CONSUMER_METRICS, PUBLISHER_METRICS, TRACING_METRICS]

/** Which tables each service opens: what its /metrics shows beside the metrics of Node itself. */
export const METRICS_OF_SERVICES: Readonly<Record<string, readonly MetricTable[]>> = {
  gateway: [GATEWAY_METRICS, PUBLISHER_METRICS, TRACING_METRICS],
  'text-worker': WORKER,
  'media-worker': WORKER,
  'transcription-worker': WORKER,
  ledger: [LEDGER_METRICS, CONSUMER_METRICS, PUBLISHER_METRICS, TRACING_METRICS],
  facilitator: [FACILITATOR_METRICS, TRACING_METRICS],
  auditor: [AUDITOR_METRICS],
}
