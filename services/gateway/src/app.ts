import { randomUUID } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { isTracing } from '@turnpike/telemetry/tracing'
import type { AppDeps } from './app-deps.ts'
import { PAID } from './endpoints/paid-endpoints.ts'
import { answerFault } from './http/answer-fault.ts'
import { type Call, type Handler, pathOf } from './http/call.ts'
import { clientOf, openClientRateLimit } from './http/client-rate-limit.ts'
import { isPreflight, preflightHeaders } from './http/cors.ts'
import { header } from './http/header.ts'
import { send, sendProblem } from './http/send-answer.ts'
import { traceRequest } from './http/trace-request.ts'
import { freeRoutes } from './routes/free-routes.ts'
import { paidRoute } from './routes/paid-route.ts'
import { quoteRoute } from './routes/quote.ts'

/**
 * The public HTTP surface. The paid routes are told by their exact path before Express sees the request: Express would cost an unpaid
 * request more than everything else about it. All other routes are Express's. `shutdown` releases everybody who waits; their jobs go on.
 */
export function createApp(deps: AppDeps, shutdown: AbortSignal): RequestListener {
  const paid = new Map<string, Handler>(
    PAID.map((endpoint) => [endpoint.path, postOnly(deps, paidRoute(deps, endpoint, shutdown))]),
  )
  paid.set('/v1/quote', postOnly(deps, quoteRoute(deps)))
  const free = freeRoutes(deps)
  const waitS = openClientRateLimit({ perMinute: deps.clientRateLimitPerMinute, now: deps.now })

  return async (request, response) => {
    deps.metrics.begun()
    const client = clientOf(request.socket.remoteAddress ?? '', header(request, 'x-forwarded-for'), deps.trustedProxies)
    const call: Call = { requestId: randomUUID(), path: pathOf(request.url ?? '/'), client }
    const handler = paid.get(call.path)
    const routeOf = () => (handler === undefined ? free.routeOf(request) : call.path)
    observe(deps, response, call, routeOf)
    try {
      if (isPreflight(request)) return send(response, call, '', { status: 204, headers: preflightHeaders(request) })
      // Probes are the operator's own.
      const isProbe = call.path === '/healthz' || call.path === '/readyz'
      const retryAfterS = isProbe ? undefined : waitS(client)
      if (retryAfterS !== undefined) {
        // It was not looked at, so what became of its payment is not known here.
        const charged = request.headers['payment-signature'] === undefined ? {} : ({ charged: 'unknown' } as const)
        return sendProblem(deps, response, call, { code: 'rate_limited', retryAfterS, ...charged })
      }
      const serve = () => (handler === undefined ? free.serve(request, response, call) : handler(request, response, call))
      await (isTracing() && !isProbe ? traceRequest(request, response, { ...call, routeOf }, serve) : serve())
    } catch (error) {
      answerFault(deps, response, call, error)
    }
  }
}

function postOnly(deps: AppDeps, handler: Handler): Handler {
  return (request, response, call) =>
    request.method === 'POST'
      ? handler(request, response, call)
      : sendProblem(deps, response, call, { code: 'method_not_allowed' }, { allow: 'POST' })
}

/** One line per answer: route, status, time; never a path with a capability in it. */
function observe(deps: AppDeps, response: ServerResponse, { requestId }: Call, routeOf: () => string): void {
  const startedAt = performance.now()
  // Not `finish`: a client that leaves before its answer is counted too.
  response.once('close', () => {
    const seconds = (performance.now() - startedAt) / 1000
    const route = routeOf()
    deps.metrics.ended(route, response.writableFinished ? response.statusCode : undefined, seconds)
    if (deps.logger.isLevelEnabled('debug'))
      deps.logger.debug({ requestId, route, status: response.statusCode, ms: Math.round(seconds * 1000) }, 'answered')
  })
}
