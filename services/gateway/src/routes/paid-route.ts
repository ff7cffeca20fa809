import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@turnpike/contracts'
import { SealBroken } from '@turnpike/sealing'
import { ClaimCheckBroken, ObjectMissing } from '@turnpike/storage'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import type { Handler } from '../http/call.ts'
import { isForm } from '../http/content-type.ts'
import { header } from '../http/header.ts'
import { HttpExchange } from '../http/http-exchange.ts'
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
    const paymentSignature = header(request, 'payment-signature')
    if (read.kind !== 'body') return refuseUnread(deps, response, place, read, paymentSignature !== undefined)

    const exchange = new HttpExchange(deps.logger, { request, response, requestId, shutdown })
    try {
      const answer = await servePaidRequest(deps, exchange, endpoint, {
        contentType,
        body: read,
        client,
        idempotencyKey: header(request, 'x-idempotency-key'),
        paymentSignature,
      }).catch((error: unknown) => {
        const fault = faultOf(exchange, error)
        return paymentSignature === undefined ? fault : withChargeUnknown(fault)
      })
      const isSigned = paymentSignature !== undefined
      if (answer.kind === 'problem') deps.metrics.refused(answer.problem.code, isSigned)
      if (answer.kind === 'challenge') deps.metrics.refused(answer.reason, isSigned)
      sendAnswer(
        deps,
        response,
        place,
        answer.kind === 'gone' && shutdown.aborted ? problem('idempotency_in_progress', { retryAfterS: 1 }) : answer,
      )
    } finally {
      read.giveBack()
    }
  }
}

// What a fault of ours looks like; everything else that is thrown is a dependency that is away.
const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError, ResultBroken, SealBroken, ClaimCheckBroken, ObjectMissing]

export function faultOf(exchange: Pick<Exchange, 'log'>, error: unknown): Answer {
  if (DEFECTS.some((kind) => error instanceof kind)) {
    exchange.log.error({ error }, 'unexpected fault')
    return problem('internal_error')
  }
  exchange.log.warn({ error }, 'request could not be served')
  return problem('dependency_unavailable')
}

export function refuse(deps: SendDeps, response: ServerResponse, place: Place, code: ErrorCode): void {
  staysOpen(response)
  sendProblem(deps, response, place, { code })
}

type Unread = Exclude<BodyRead, { kind: 'body' | 'aborted' }>

/** It was not looked at, so what became of its payment is not known here; but for one too large, which was never taken. */
export function refuseUnread(
  deps: Pick<PaidDeps, 'metrics'> & SendDeps,
  response: ServerResponse,
  place: Place,
  unread: Unread,
  isSigned: boolean,
): void {
  const code = UNREAD[unread.kind]
  deps.metrics.refused(code, isSigned)
  const { retryAfterS } = unread as { retryAfterS?: number }
  const isUnknown = isSigned && unread.kind !== 'too_large'
  const details = { ...(retryAfterS === undefined ? {} : { retryAfterS }), ...(isUnknown ? { charged: 'unknown' as const } : {}) }
  // Nobody waits for the rest of a body that does not come.
  if (unread.kind !== 'too_slow') staysOpen(response)
  sendProblem(deps, response, place, { code, ...details }, unread.kind === 'too_slow' ? { connection: 'close' } : {})
}

/**
 * What is left of the body is read and dropped (Node does so after the answer), else a client that is still writing sees a reset, not
 * the answer. Also where it asked for the connection to be closed: it closes it itself when it has read the answer.
 */
function staysOpen(response: ServerResponse): void {
  response.shouldKeepAlive = true
}

const UNREAD: Record<Unread['kind'], ErrorCode> = {
  too_large: 'payload_too_large',
  no_room: 'overloaded',
  client_full: 'rate_limited',
  too_slow: 'request_timeout',
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
