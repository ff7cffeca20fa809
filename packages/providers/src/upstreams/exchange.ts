import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

export type ExchangeRequest = { path: string; headers: Record<string, string>; body: Uint8Array; maxResponseBytes: number }

/** One HTTP exchange as far as it got. What it means is for the upstream's classify.ts to say. */
export type Exchange =
  /** Not one byte of the request left this process: no connection could be had. */
  | { kind: 'not_sent'; because: 'connect' | 'aborted' }
  /** The request, or a part of it, left; no status came back. */
  | { kind: 'no_response'; because: 'aborted' | 'timeout' | 'connection' }
  | {
      kind: 'response'
      status: number
      headers: IncomingHttpHeaders
      body: Buffer
      /** `whole`, or why the body ended early. */
      end: 'whole' | 'aborted' | 'timeout' | 'connection' | 'too_large'
    }

const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * POSTs over a pool. Below `fetch` and `request` on purpose: undici tells its handler that a request starts in the moment before it
 * writes to a connected socket, the one fact that separates "provably not executed" from "perhaps". Never rejects.
 */
export function exchange(pool: Dispatcher, request: ExchangeRequest, signal: AbortSignal): Promise<Exchange> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let head: { status: number; headers: IncomingHttpHeaders } | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    let settled = false

    const settle = (result: Exchange): void => {
      if (settled) return
      settled = true
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    const ended = (because: 'aborted' | 'timeout' | 'connection' | 'too_large'): void => {
      if (head !== undefined) settle({ kind: 'response', ...head, body: Buffer.concat(chunks), end: because })
      else if (controller === undefined) settle({ kind: 'not_sent', because: because === 'aborted' ? 'aborted' : 'connect' })
      else settle({ kind: 'no_response', because: because === 'too_large' ? 'connection' : because })
    }
    const onAbort = (): void => {
      ended('aborted')
      controller?.abort(new Error('the deadline has passed'))
    }

    if (signal.aborted) {
      settle({ kind: 'not_sent', because: 'aborted' })
      return
    }
    signal.addEventListener('abort', onAbort)

    pool.dispatch(
      { method: 'POST', path: request.path, headers: request.headers, body: request.body },
      {
        onRequestStart(started) {
          // It waited for a connection until nobody wanted it any more: stopped here, nothing is written.
          if (settled) return started.abort(new Error('not wanted any more'))
          // The pool took it back from a broken connection to send it once more: it may have been executed already.
          if (controller !== undefined) {
            ended('connection')
            return started.abort(new Error('never sent twice'))
          }
          controller = started
        },
        onResponseStart(_controller, status, headers) {
          // 1xx are notes on the way, not the answer.
          if (status >= 200) head = { status, headers }
        },
        onResponseData(current, chunk) {
          bytes += chunk.length
          if (bytes <= request.maxResponseBytes) {
            chunks.push(chunk)
            return
          }
          ended('too_large')
          current.abort(new Error('the response is too large'))
        },
        onResponseEnd() {
          if (head !== undefined) settle({ kind: 'response', ...head, body: Buffer.concat(chunks), end: 'whole' })
          else ended('connection')
        },
        onResponseError(_controller, error) {
          ended(TIMEOUT_CODES.has((error as NodeJS.ErrnoException).code ?? '') ? 'timeout' : 'connection')
        },
      },
    )
  })
}
