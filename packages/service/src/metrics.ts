export { createMetrics, type Metrics } from '@turnpike/telemetry/metrics'
