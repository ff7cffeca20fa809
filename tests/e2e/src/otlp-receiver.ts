import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** One span, as OTLP's JSON has it. */
export type ReceivedSpan = {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  kind: number
  startMs: number
  endMs: number
  isError: boolean
  attributes: Record<string, string | number | boolean>
}

/** A collector on loopback: takes OTLP over HTTP and keeps every request's body as one line of a file. */
export async function openOtlpReceiver(file: string): Promise<{ endpoint: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8')
      const isTraces = request.method === 'POST' && request.url === '/v1/traces'
      if (isTraces) appendFileSync(file, `${text}\n`)
      response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It keeps no run of tests from ending.
  server.unref()
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean }
type KeyValue = { key: string; value: Value }
type OtlpSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status?: { code?: number }
  attributes?: KeyValue[]
}
type OtlpBody = { resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[] }

/** The spans in the lines that the receiver kept. */
export function spansIn(lines: string): ReceivedSpan[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as OtlpBody).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = String(attributesOf(resource.attributes)['service.name'])
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => received(service, span)))
    })
}

function received(service: string, span: OtlpSpan): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId = '', kind, status, attributes = [] } = span
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId,
    kind,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
    isError: status?.code === 2,
    attributes: attributesOf(attributes),
  }
}

function attributesOf(list: KeyValue[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? (value.doubleValue ?? value.boolValue ?? '') : Number(value.intValue)),
    ]),
  )
}
