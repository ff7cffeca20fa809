// The paid routes as the gateway serves them, transcriptions among them, over keys and a ledger that know nothing: for unpaid uploads.
//   node services/gateway/src/transcription/testing/serve-uploads.ts [port]
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { catalogOf } from '@turnpike/catalog'
import { MODELS, PAID_ENDPOINTS } from '@turnpike/contracts'
import { createLogger, newTraceparent } from '@turnpike/service'
import type { AppDeps } from '../../app-deps.ts'
import { ENDPOINTS } from '../../endpoints/paid-endpoints.ts'
import { openBodyRoom } from '../../http/byte-budget.ts'
import { clientOf } from '../../http/client-rate-limit.ts'
import { header } from '../../http/header.ts'
import type { SendDeps } from '../../http/send-answer.ts'
import { gatewayMetrics } from '../../metrics.ts'
import { openBodyReader } from '../../paid/body-reader.ts'
import type { PaidDeps } from '../../paid/deps.ts'
import { paidRoute } from '../../routes/paid-route.ts'
import { quoteRoute } from '../../routes/quote.ts'

const MAX_BODY_BYTES_IN_MEMORY = 268_435_456

export type UploadGateway = { url: string; close(): Promise<void> }

export async function serveUploads({
  port = 0,
  trustedProxies = 0,
  maxBodyBytes = MAX_BODY_BYTES_IN_MEMORY,
} = {}): Promise<UploadGateway> {
  const metrics = gatewayMetrics()
  const bodyReader = openBodyReader()
  const bodies = openBodyRoom({ maxBytes: maxBodyBytes })
  metrics.largeBodyBytes.readBy((gauge) => gauge.set({}, bodies.large.takenBytes()))
  metrics.largeBodiesWaiting.readBy((gauge) => gauge.set({}, bodies.large.waiting()))
  const deps = {
    catalog: catalogOf(MODELS, PAID_ENDPOINTS),
    providerTimeoutMs: undefined,
    payTo: '0x0000000000000000000000000000000000000001',
    publicBaseUrl: 'http://localhost',
    keys: { bind: async () => ({ state: 'none' }), read: async () => ({ state: 'none' }) },
    ledger: { lookup: async () => ({}) },
    gate: { closedBy: () => undefined },
    closedModels: { closure: () => undefined },
    bodies,
    bodyReader,
    metrics,
    logger: createLogger({ service: 'uploads', format: 'json', level: 'warn' }),
    now: Date.now,
    traceparent: newTraceparent,
  } as unknown as PaidDeps & SendDeps
  const routes = new Map(
    ENDPOINTS.map((endpoint) => [endpoint.path as string, paidRoute(deps, endpoint, new AbortController().signal)]),
  )
  routes.set('/v1/quote', quoteRoute(deps as unknown as AppDeps))
  const server = createServer({ requestTimeout: 120_000 }, async (request, response) => {
    const path = request.url ?? '/'
    if (path === '/metrics') return response.end(await metrics.registry.metrics())
    const client = clientOf(request.socket.remoteAddress ?? '', header(request, 'x-forwarded-for'), trustedProxies)
    await routes.get(path)?.(request, response, { requestId: randomUUID(), path, client })
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await bodyReader.close()
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await serveUploads({ port: Number(process.argv[2] ?? 0) })
  process.stdout.write(`${url}\n`)
}
