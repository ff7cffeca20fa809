import type { IncomingMessage, ServerResponse } from 'node:http'
import { readiness } from '@turnpike/service'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import type { AppDeps } from '../app-deps.ts'
import { discoveryRoutes } from '../discovery/discovery-routes.ts'
import { docsRoutes } from '../docs/docs-routes.ts'
import { answerFault } from '../http/answer-fault.ts'
import type { Call, Handler } from '../http/call.ts'
import { sendJson, sendProblem } from '../http/send-answer.ts'
import { mediaRoute } from '../media/media-route.ts'
import { balanceRoute } from './balance.ts'
import { receiptRoute } from './receipts.ts'

export type FreeRoutes = {
  serve(request: IncomingMessage, response: ServerResponse, call: Call): void
  /** The pattern of the route that answered, for metrics. */
  routeOf(request: IncomingMessage): string
}

/** Discovery, receipts, health and docs, on Express. */
export function freeRoutes(deps: AppDeps): FreeRoutes {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  const calls = new WeakMap<IncomingMessage, Call>()
  const callOf = (request: Request): Call => calls.get(request) ?? { requestId: '', path: request.path }
  const get = (path: string, handler: Handler): void => {
    const handle: RequestHandler = (request, response) => handler(request, response, callOf(request))
    app.get(path, handle)
    app.all(path, (request, response) =>
      sendProblem(deps, response, callOf(request), { code: 'method_not_allowed' }, { allow: 'GET, HEAD' }),
    )
  }

  for (const [path, handler] of discoveryRoutes(deps)) get(path, handler)
  get('/v1/balance', balanceRoute(deps))
  get('/v1/media/:capability', mediaRoute(deps))
  get('/v1/receipts/:id', receiptRoute(deps))
  get('/.well-known/jwks.json', async (_request, response, call) => sendJson(response, call, await deps.ledger.jwks()))
  for (const [path, handler] of docsRoutes(deps)) get(path, handler)
  get('/healthz', (_request, response, call) => sendJson(response, call, { status: 'ok' }))
  get('/readyz', async (_request, response, call) => {
    const report = await readiness(Object.fromEntries(Object.entries(deps.gate.states()).map(([name, up]) => [name, () => up])))
    sendJson(response, call, report, { status: report.ready ? 200 : 503 })
  })
  app.use((request, response) => sendProblem(deps, response, callOf(request), { code: 'not_found' }))
  const faults: ErrorRequestHandler = (error: unknown, request, response, _next) => {
    // A path that cannot be decoded is the only fault of a client that Express itself reports here.
    if (error instanceof URIError) return sendProblem(deps, response, callOf(request), { code: 'not_found' })
    answerFault(deps, response, callOf(request), error)
  }
  app.use(faults)

  return {
    serve(request, response, call) {
      calls.set(request, call)
      app(request as Request, response as Parameters<typeof app>[1])
    },
    routeOf: (request) => {
      const path: unknown = (request as Request).route?.path
      return typeof path === 'string' ? path : 'unmatched'
    },
  }
}
