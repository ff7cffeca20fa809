import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { SpanAttributes } from './span-attributes.ts'

// Undefined while tracing is off: then nothing here costs more than one comparison.
let tracer: Tracer | undefined

export function useTracer(own: Tracer | undefined): void {
  tracer = own
}

export function isTracing(): boolean {
  return tracer !== undefined
}

export type SpanOptions = {
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  attributes?: SpanAttributes
  /** The remote parent; what runs here at this moment is none. Without it the parent is the span that this is called in. */
  from?: string | undefined
}

/** What is being done, as a trace shows it. */
export type OpenSpan = {
  /** For the next process: W3C trace context. Undefined while tracing is off. */
  traceparent: string | undefined
  set(attributes: SpanAttributes): void
  /** It came to nothing; `type` from a closed set. */
  fail(type: string): void
}

const NO_SPAN: OpenSpan = { traceparent: undefined, set() {}, fail() {} }

/** Runs the work as a span. What is thrown ends it as failed, with the name of the error and nothing of its message. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  if (tracer === undefined) return work(NO_SPAN)
  const begun = begin(tracer, name, options)
  try {
    return await context.with(begun.within, () => work(begun.open))
  } catch (error) {
    begun.open.fail(error instanceof Error ? error.name : 'unknown')
    throw error
  } finally {
    begun.span.end()
  }
}

/** A span whose end is somebody else's to tell; undefined while tracing is off. */
export function startSpan(
  name: string,
  options: SpanOptions,
): (OpenSpan & { rename(name: string): void; run<T>(work: () => T): T; end(): void }) | undefined {
  if (tracer === undefined) return undefined
  const { open, span, within } = begin(tracer, name, options)
  return {
    ...open,
    rename: (renamed) => void span.updateName(renamed),
    run: (work) => context.with(within, work),
    end: () => span.end(),
  }
}

/** Says more about the span that this is called in. */
export function annotateSpan(attributes: SpanAttributes): void {
  if (tracer !== undefined) trace.getActiveSpan()?.setAttributes(attributes)
}

/** Of the span that this is called in; undefined outside of one and while tracing is off. */
export function currentTraceparent(): string | undefined {
  const span = tracer === undefined ? undefined : trace.getActiveSpan()
  return span === undefined ? undefined : traceparentOf(span)
}

/** For every log line that is written inside a span. A new object each time: the logger writes the line's own fields into it. */
export function traceFields(): { traceId?: string } {
  const span = tracer === undefined ? undefined : trace.getActiveSpan()
  return span === undefined ? {} : { traceId: span.spanContext().traceId }
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const

function begin(own: Tracer, name: string, options: SpanOptions): { span: Span; open: OpenSpan; within: Context } {
  const { kind = 'internal', attributes = {} } = options
  const parent = 'from' in options ? remoteContext(options.from) : context.active()
  const span = own.startSpan(name, { kind: KINDS[kind], attributes }, parent)
  const open: OpenSpan = {
    traceparent: traceparentOf(span),
    set: (more) => void span.setAttributes(more),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
  }
  return { span, open, within: trace.setSpan(parent, span) }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** A malformed one is none: a trace of its own begins. */
function remoteContext(traceparent: string | undefined): Context {
  const match = TRACEPARENT.exec(traceparent ?? '')
  if (match === null) return ROOT_CONTEXT
  const [, traceId = '', spanId = '', flags = ''] = match
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & 1
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`
}
