import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { ServerWire } from './wires/server-wire.ts'

export type Check = () => boolean | Promise<boolean>
export type InternalServer = { port: number; close(): Promise<void> }
export type ReadinessReport = { ready: boolean; dependencies: Record<string, 'up' | 'down'> }

const CHECK_TIMEOUT_MS = 2_000

/**
 * /healthz, /readyz and /metrics of one service, on its internal port. `handle` may serve the service's own internal routes: it
 * returns false for what it does not know.
 */
export async function startInternalServer(options: {
  host: string
  port: number
  checks: Record<string, Check>
  metrics: Metrics
  logger: Logger
  handle?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>
  /** HTTPS for everything on this port; plain HTTP when undefined. */
  tls?: ServerWire
}): Promise<InternalServer> {
  const { checks, metrics, logger, handle } = options
  const server = createHttpServer(options.tls, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.error({ error }, 'internal request failed')
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' })
      response.end('{"error":"internal_error"}')
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0]
    if (request.method === 'GET' && path === '/healthz') return sendJson(response, 200, { status: 'ok' })
    if (request.method === 'GET' && path === '/readyz') {
      const report = await readiness(checks)
      return sendJson(response, report.ready ? 200 : 503, report)
    }
    if (request.method === 'GET' && path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.registry.contentType })
      response.end(await metrics.registry.metrics())
      return
    }
    if (handle !== undefined && (await handle(request, response))) return
    sendJson(response, 404, { error: 'not_found' })
  }

  await listen(server, options.port, options.host)
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/** HTTPS with a certificate, plain HTTP without. */
export function createHttpServer(
  tls: ServerWire,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  // An https.Server has every member of an http.Server but not its type.
  return tls === undefined ? createServer(onRequest) : (createTlsServer(tls, onRequest) as unknown as Server)
}

/** Every check, side by side; one that throws or takes longer than two seconds counts as down. */
export async function readiness(checks: Record<string, Check>): Promise<ReadinessReport> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, (await settles(check)) ? 'up' : 'down'] as const),
  )
  return { ready: states.every(([, state]) => state === 'up'), dependencies: Object.fromEntries(states) }
}

async function settles(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([Promise.resolve().then(check), timeout])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

const IDLE_SWEEP_MS = 50

/** Takes no new connection, lets running requests finish, and drops connections as they become idle: keep-alive would hold the exit up. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}
