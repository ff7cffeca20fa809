import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@turnpike/contracts'
import { SealBroken } from '@turnpike/sealing'
import { childTraceparent, type Logger, newTraceparent } from '@turnpike/service'
import { ClaimCheckBroken, ObjectMissing } from '@turnpike/storage'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import type { Handler } from '../http/call.ts'
import { isForm } from '../http/content-type.ts'
import { header } from '../http/header.ts'
import { type BodyRead, readBody } from '../http/read-body.ts'
import { type Place, type SendDeps, sendAnswer, sendProblem } from '../http/send-answer.ts'
import { type Answer, problem, withChargeUnknown } from '../paid/answer.ts'
import { ResultBroken } from '../paid/collect.ts'
import type { Exchange, PaidDeps } from '../paid/deps.ts'
import { takesBody } from '../paid/effective-request.ts'
import { servePaidRequest } from '../paid/serve-paid-request.ts'

/** One paid endpoint on the one payment lifecycle. */
export function paidRoute<Body extends { model: string }>(
  deps: PaidDeps & SendDeps,
  endpoint: PaidEndpointDefinition<Body>,
  shutdown: AbortSignal,
): Handler {
  return async (request, response, { requestId, client = '' }) => {
    const place: Place = { requestId, path: endpoint.path, endpoint }
    const contentType = request.headers['content-type']
    // Before the body is read: nobody uploads 20 MiB to learn that the type is wrong.
    if (!takesBody(endpoint, contentType, !hasBody(request))) return refuse(deps, response, place, 'unsupported_media_type')
    if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
      return refuse(deps, response, place, 'unsupported_media_type')
    }
    const isUpload = contentType !== undefined && isForm(contentType)
    const maxBytes = (isUpload ? endpoint.multipart?.maxBytes : undefined) ?? endpoint.maxBytes
    const read = await readBody(request, { maxBytes, client, room: deps.bodies })
    if (read.kind === 'aborted') return
    if (read.kind !== 'body') return refuseUnread(deps, response, place, read)
    response.once('close', read.giveBack)

    const exchange = exchangeOf(deps, request, response, place, shutdown)
    const paymentSignature = header(request, 'payment-signature')
    const answer = await servePaidRequest(deps, exchange, endpoint, {
      contentType,
      body: read.bytes,
      idempotencyKey: header(request, 'x-idempotency-key'),
      paymentSignature,
    }).catch((error: unknown) => {
      const fault = faultOf(exchange, error)
      return paymentSignature === undefined ? fault : withChargeUnknown(fault)
    })
    if (answer.kind === 'problem') deps.metrics.refusals.inc({ code: answer.problem.code })
    if (answer.kind === 'challenge') deps.metrics.refusals.inc({ code: answer.reason })
    sendAnswer(
      deps,
      response,
      place,
      answer.kind === 'gone' && shutdown.aborted ? problem('idempotency_in_progress', { retryAfterS: 1 }) : answer,
    )
  }
}

// What a fault of ours looks like; everything else that is thrown is a dependency that is away.
const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError, ResultBroken, SealBroken, ClaimCheckBroken, ObjectMissing]

function faultOf(exchange: Exchange, error: unknown): Answer {
  if (DEFECTS.some((kind) => error instanceof kind)) {
    exchange.log.error({ error }, 'unexpected fault')
    return problem('internal_error')
  }
  exchange.log.warn({ error }, 'request could not be served')
  return problem('dependency_unavailable')
}

/** Its parts are made when they are first asked for: an unpaid request needs few of them. */
function exchangeOf(
  deps: PaidDeps,
  request: IncomingMessage,
  response: ServerResponse,
  place: Place,
  shutdown: AbortSignal,
): Exchange {
  let traceparent: string | undefined
  let signal: AbortSignal | undefined
  let log: Logger | undefined
  return {
    requestId: place.requestId,
    get traceparent() {
      const parent = header(request, 'traceparent')
      traceparent ??= parent === undefined ? newTraceparent() : childTraceparent(parent)
      return traceparent
    },
    get signal() {
      signal ??= AbortSignal.any([goneSignal(response), shutdown])
      return signal
    },
    get log() {
      log ??= deps.logger.child({ requestId: place.requestId, traceId: this.traceparent.slice(3, 35) })
      return log
    },
  }
}

/** Aborts when the client goes before its answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort()
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

/** What is left of the body is read and dropped (Node does so after the answer), else a client that is still writing sees a reset, not the answer. */
function refuse(deps: SendDeps, response: ServerResponse, place: Place, code: ErrorCode): void {
  sendProblem(deps, response, place, { code })
}

type Unread = Exclude<BodyRead, { kind: 'body' | 'aborted' }>

function refuseUnread(deps: SendDeps, response: ServerResponse, place: Place, unread: Unread): void {
  switch (unread.kind) {
    case 'too_large':
      return sendProblem(deps, response, place, { code: 'payload_too_large' })
    case 'no_room':
      return sendProblem(deps, response, place, { code: 'overloaded', ...retryAfter(unread) })
    case 'client_full':
      return sendProblem(deps, response, place, { code: 'rate_limited', ...retryAfter(unread) })
    case 'too_slow':
      // Nobody waits for the rest.
      return sendProblem(deps, response, place, { code: 'malformed_http' }, { connection: 'close' })
  }
}

function retryAfter({ retryAfterS }: { retryAfterS?: number }): { retryAfterS?: number } {
  return retryAfterS === undefined ? {} : { retryAfterS }
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
