import type { Logger } from '@turnpike/service'
import { startSpan } from '@turnpike/telemetry/tracing'
import type { NextFunction, Request, Response } from 'express'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Joins what happens here to the request that it happens for: by the id that our own services send along, and by their trace. Payer,
 * payment and signature stay out of both.
 */
export function followRequest(logger: Logger): (request: Request, response: Response, next: NextFunction) => void {
  return (request, response, next) => {
    if (request.method !== 'POST') return next()
    const startedAt = performance.now()
    const given = request.get('x-request-id') ?? ''
    const requestId = UUID.test(given) ? given : undefined
    const span = startSpan('POST', {
      kind: 'server',
      from: request.get('traceparent'),
      attributes: { 'http.request.method': 'POST', ...(requestId === undefined ? {} : { 'turnpike.request_id': requestId }) },
    })
    const finish = () => {
      const { statusCode: status } = response
      const path: unknown = request.route?.path
      const route = typeof path === 'string' ? path : 'unmatched'
      const { outcome } = response.locals as { outcome?: string }
      span?.rename(`POST ${route}`)
      span?.set({
        'http.route': route,
        'http.response.status_code': status,
        ...(outcome === undefined ? {} : { 'turnpike.outcome': outcome }),
      })
      if (status >= 500) span?.fail(String(status))
      const ms = Math.round(performance.now() - startedAt)
      if (requestId !== undefined) logger.info({ requestId, route, status, outcome, ms }, 'answered')
      span?.end()
    }
    response.once('close', () => (span === undefined ? finish() : span.run(finish)))
    if (span === undefined) next()
    else span.run(next)
  }
}
