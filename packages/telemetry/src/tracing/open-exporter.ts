import { randomUUID } from 'node:crypto'
import { context, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

/** The official SDK, sending OTLP over HTTP in batches. Loaded only where an endpoint is configured. */
export function openExporter(options: {
  service: string
  endpoint: string
  /** Of requests that come without a trace; the others are decided by whoever began it. */
  ratio: number
  onExported: (result: 'exported' | 'failed', spans: number) => void
}): { tracer: Tracer; close(): Promise<void> } {
  const { service, endpoint, ratio, onExported } = options
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const own = resourceFromAttributes({
    'service.name': service,
    'service.namespace': 'turnpike',
    'service.instance.id': randomUUID(),
  })
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    // Long attributes are a mistake; the closed list of their names is the first line.
    spanLimits: { attributeValueLengthLimit: 200, attributeCountLimit: 32 },
    spanProcessors: [new BatchSpanProcessor({ exporter: counted(exporter, onExported), scheduledDelayMillis: 2_000 })],
  })
  // What could not be handed over by then is lost, and was counted.
  return { tracer: provider.getTracer('turnpike'), close: () => provider.shutdown().catch(() => {}) }
}

function counted(exporter: OTLPTraceExporter, onExported: (result: 'exported' | 'failed', spans: number) => void): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result: ExportResult) => {
        onExported(result.code === ExportResultCode.SUCCESS ? 'exported' : 'failed', spans.length)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
