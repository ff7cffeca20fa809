import type { IncomingMessage, ServerResponse } from 'node:http'
import { startSpan } from '@turnpike/telemetry/tracing'
import { header } from './header.ts'

/** As the semantic conventions have it: what is not a method of HTTP does not become a name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'])

/**
 * Serves a request as the root of what is traced here, under the trace that it came with if it came with one. Only route, method and
 * status go into it: a path may be the key to a file, and headers and bodies are nobody's business.
 */
export function traceRequest(
  request: IncomingMessage,
  response: ServerResponse,
  call: { requestId: string; routeOf(): string },
  serve: () => void | Promise<void>,
): void | Promise<void> {
  const { requestId } = call
  const method = METHODS.has(request.method ?? '') ? (request.method as string) : '_OTHER'
  const span = startSpan(method, {
    kind: 'server',
    from: header(request, 'traceparent'),
    attributes: { 'http.request.method': method, 'turnpike.request_id': requestId },
  })
  if (span === undefined) return serve()
  response.once('close', () => {
    const route = call.routeOf()
    span.rename(`${method} ${route}`)
    span.set({ 'http.route': route, 'http.response.status_code': response.statusCode })
    if (!response.writableFinished) span.fail('client_gone')
    else if (response.statusCode >= 500) span.fail(String(response.statusCode))
    span.end()
  })
  return span.run(serve)
}
