import type { IncomingMessage, ServerResponse } from 'node:http'

/** One request as the gateway sees it: its id is ours, its path is without the query, and it is counted for its client. */
export type Call = { requestId: string; path: string; client?: string }

export type Handler = (request: IncomingMessage, response: ServerResponse, call: Call) => void | Promise<void>

/** The path of a request target, which a client of a proxy writes as a whole URL. */
export function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = target.indexOf('?', start)
  return end === -1 ? target.slice(start) : target.slice(start, end)
}
