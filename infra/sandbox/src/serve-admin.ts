import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { CallLog } from './call-log.ts'
import { type FaultList, parseFaults } from './fault-list.ts'

const maxBodyBytes = 1024 * 1024

export interface AdminDeps {
  calls: CallLog
  faults: FaultList
}

type AdminReply = { status: number; value: unknown }

/** The admin port: what was called, and which faults are on. */
export function createAdminServer(deps: AdminDeps): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) chunks.push(chunk)
    })
    request.on('end', () => {
      const reply =
        bytes > maxBodyBytes
          ? { status: 413, value: { error: `the body is larger than ${maxBodyBytes} bytes` } }
          : route(deps, request, Buffer.concat(chunks))
      send(response, reply)
    })
  })
}

function route(deps: AdminDeps, request: IncomingMessage, body: Buffer): AdminReply {
  const url = new URL(request.url ?? '/', 'http://admin')
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /healthz':
      return { status: 200, value: { status: 'ok' } }
    case 'GET /calls': {
      const since = Number(url.searchParams.get('since') || '0')
      if (!Number.isInteger(since) || since < 0)
        return { status: 400, value: { error: 'since must be an integer of at least 0' } }
      return { status: 200, value: { calls: deps.calls.since(since) } }
    }
    case 'DELETE /calls':
      deps.calls.forget()
      return { status: 200, value: { calls: [] } }
    case 'GET /faults':
      return { status: 200, value: { faults: deps.faults.list() } }
    case 'PUT /faults': {
      const parsed = parseFaults(body)
      if (!parsed.ok) return { status: 400, value: { error: parsed.problem } }
      deps.faults.replace(parsed.faults)
      return { status: 200, value: { faults: deps.faults.list() } }
    }
    case 'DELETE /faults':
      deps.faults.clear()
      return { status: 200, value: { faults: [] } }
  }
  return { status: 404, value: { error: `no such call: ${request.method} ${url.pathname}` } }
}

function send(response: ServerResponse, { status, value }: AdminReply): void {
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(body.length) })
  response.end(body)
}
