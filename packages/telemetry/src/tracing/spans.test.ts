import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openExporter } from './open-exporter.ts'
import { annotateSpan, currentTraceparent, inSpan, isTracing, startSpan, traceFields, useTracer } from './spans.ts'

type Sent = {
  name: string
  traceId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: object }[]
}
const received: Sent[] = []
let collector: Server
let endpoint = ''
let opened: ReturnType<typeof openExporter> | undefined
const exported: [string, number][] = []

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] }
    received.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
    response.end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterAll(() => collector.close())
afterEach(async () => {
  await opened?.close()
  opened = undefined
  useTracer(undefined)
  vi.unstubAllEnvs()
  received.length = 0
})

function trace(ratio: number): void {
  opened = openExporter({ service: 'test', endpoint, ratio, onExported: (...what) => exported.push(what) })
  useTracer(opened.tracer)
}
async function sent(): Promise<Sent[]> {
  await opened?.close()
  opened = undefined
  return received
}
const SAMPLED = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`
const NOT_SAMPLED = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-00`
const nothing = async () => {}

describe('without a collector', () => {
  it('work runs as it is: nothing is begun, named or sent', async () => {
    expect(isTracing()).toBe(false)
    expect(startSpan('request', { from: SAMPLED })).toBeUndefined()
    const seen = await inSpan('work', { from: SAMPLED }, async (span) => {
      span.set({ 'turnpike.outcome': 'succeeded' })
      span.fail('never')
      annotateSpan({ 'turnpike.outcome': 'succeeded' })
      return [span.traceparent, currentTraceparent(), traceFields()]
    })
    expect(seen).toEqual([undefined, undefined, {}])
    expect(received).toEqual([])
  })
})

describe('with a collector', () => {
  it('a span goes on under its remote parent, what runs inside goes on under the span, and each log line says the trace', async () => {
    trace(1)
    await inSpan('outer', { kind: 'consumer', from: SAMPLED }, async (outer) => {
      expect(outer.traceparent).toMatch(/^00-(a1){16}-[0-9a-f]{16}-01$/)
      expect(currentTraceparent()).toBe(outer.traceparent)
      expect(traceFields()).toEqual({ traceId: 'a1'.repeat(16) })
      await inSpan('inner', {}, nothing)
    })
    const spans = await sent()
    expect(spans.map(({ name, traceId }) => [name, traceId]).sort()).toEqual([
      ['inner', 'a1'.repeat(16)],
      ['outer', 'a1'.repeat(16)],
    ])
    expect(spans.find(({ name }) => name === 'outer')?.parentSpanId).toBe('b2'.repeat(8))
    expect(exported.at(-1)).toEqual(['exported', 2])
  })

  it('work that is begun inside another span belongs to its own remote parent alone', async () => {
    trace(1)
    const other = SAMPLED.replaceAll('a1', 'c3')
    await inSpan('first', { from: SAMPLED }, () => inSpan('second', { from: other }, nothing))
    expect(Object.fromEntries((await sent()).map(({ name, traceId }) => [name, traceId]))).toEqual({
      first: 'a1'.repeat(16),
      second: 'c3'.repeat(16),
    })
  })

  it.each([
    [0, SAMPLED, true],
    [0, NOT_SAMPLED, false],
    [0, undefined, false],
    [1, SAMPLED, true],
    [1, NOT_SAMPLED, false],
    [1, undefined, true],
    [0, 'nonsense', false],
    [1, `00-${'0'.repeat(32)}-${'b2'.repeat(8)}-01`, true],
  ])('at a ratio of %d, what comes with %s is sampled: %s', async (ratio, from, isSampled) => {
    trace(ratio)
    const traceparent = await inSpan('asked', { from }, async (span) => span.traceparent)
    // Whoever comes after is told the same.
    expect(traceparent?.endsWith('-01')).toBe(isSampled)
    expect((await sent()).map(({ name }) => name)).toEqual(isSampled ? ['asked'] : [])
  })

  it('what is thrown is told by the name of its class and nothing of its message', async () => {
    trace(1)
    const failing = inSpan('failing', {}, () => Promise.reject(new RangeError('the key sk-123 is wrong')))
    await expect(failing).rejects.toThrow(RangeError)
    const [span] = await sent()
    expect(span?.status.code).toBe(2)
    expect(span?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'RangeError' } })
    expect(JSON.stringify(received)).not.toContain('sk-123')
  })
})

it('a collector that is away costs spans and is counted', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500')
  opened = openExporter({
    service: 'test',
    endpoint: 'http://127.0.0.1:9',
    ratio: 1,
    onExported: (...what) => exported.push(what),
  })
  useTracer(opened.tracer)
  expect(await inSpan('lost', {}, async () => 'done')).toBe('done')
  await opened.close()
  opened = undefined
  expect(exported.at(-1)).toEqual(['failed', 1])
})
