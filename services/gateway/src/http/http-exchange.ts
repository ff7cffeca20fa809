import type { IncomingMessage, ServerResponse } from 'node:http'
import { childTraceparent, type Logger, newTraceparent } from '@turnpike/service'
import { currentTraceparent, isTracing } from '@turnpike/telemetry/tracing'
import type { Exchange } from '../paid/deps.ts'
import { header } from './header.ts'

type Parts = { request: IncomingMessage; response: ServerResponse; requestId: string; shutdown: AbortSignal }

/**
 * One exchange over HTTP. Its parts are made when they are first asked for: an unpaid request needs few of them.
 *
 * A class, because V8 puts the getters of an object literal among what lives long, one pair for each object, and with their closures the
 * whole request, until the next full collection: that was a tenth of the CPU of an unpaid request, and pauses of 20 ms five times a second.
 */
export class HttpExchange implements Exchange {
  readonly requestId: string
  readonly #logger: Logger
  readonly #parts: Parts
  #traceparent: string | undefined
  #signal: AbortSignal | undefined
  #log: Logger | undefined

  constructor(logger: Logger, parts: Parts) {
    this.requestId = parts.requestId
    this.#logger = logger
    this.#parts = parts
  }

  get traceparent(): string {
    if (this.#traceparent === undefined) {
      const parent = header(this.#parts.request, 'traceparent')
      this.#traceparent = currentTraceparent() ?? (parent === undefined ? newTraceparent() : childTraceparent(parent))
    }
    return this.#traceparent
  }

  /** Aborts when the client goes before its answer, and at shutdown. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([goneSignal(this.#parts.response), this.#parts.shutdown])
    return this.#signal
  }

  get log(): Logger {
    // While requests are traced, every line says its trace by itself.
    const trace = isTracing() ? {} : { traceId: this.traceparent.slice(3, 35) }
    this.#log ??= this.#logger.child({ requestId: this.requestId, ...trace })
    return this.#log
  }
}

function goneSignal(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort()
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}
