import { type Metrics, TRACING_METRICS } from '@turnpike/telemetry/metrics'
import { useTracer } from '@turnpike/telemetry/tracing'
import { loadConfig, optional, parsedBy, url } from './config.ts'
import type { Logger } from './logger.ts'

/** OpenTelemetry's own names. The exporter also reads OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION and _CERTIFICATE, the resource OTEL_RESOURCE_ATTRIBUTES. */
export const TRACING_VARIABLES = {
  /** Base address of a collector, for OTLP over HTTP. Tracing is off without it. */
  endpoint: optional(url('OTEL_EXPORTER_OTLP_ENDPOINT', { protocols: ['http:', 'https:'] })),
  /** Which part of the requests that come without a trace is traced. One that comes with a trace is traced if that is sampled. */
  ratio: parsedBy('OTEL_TRACES_SAMPLER_ARG', parseRatio, { default: 1 }),
}

// Part of the grace that a service has for its end.
const FLUSH_MS = 1_500

/** Off, and free, unless OTEL_EXPORTER_OTLP_ENDPOINT is set. A collector that is away costs spans and nothing else. */
export async function openTracing(deps: {
  service: string
  env: NodeJS.ProcessEnv
  metrics: Metrics
  logger: Logger
}): Promise<{ close(): Promise<void> }> {
  const { service, env, logger } = deps
  const { endpoint, ratio } = loadConfig(service, TRACING_VARIABLES, env)
  const { spans } = deps.metrics.open(TRACING_METRICS)
  spans.series({ result: 'failed' })
  if (endpoint === undefined) return { close: async () => {} }
  // The SDK is loaded by who needs it.
  const { openExporter } = await import('@turnpike/telemetry/tracing/exporter')
  const onExported = (result: 'exported' | 'failed', count: number) => spans.count({ result }, count)
  const exporter = openExporter({ service, endpoint, ratio, onExported })
  useTracer(exporter.tracer)
  logger.info({ ratio }, 'traces go to a collector')
  return {
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_MS)
      })
      await Promise.race([exporter.close(), late])
      clearTimeout(timer)
    },
  }
}

function parseRatio(text: string): number {
  const ratio = Number(text)
  if (!/^\d?(\.\d{1,6})?$/.test(text) || !(ratio >= 0 && ratio <= 1)) throw new Error('it must be a number from 0 to 1')
  return ratio
}
