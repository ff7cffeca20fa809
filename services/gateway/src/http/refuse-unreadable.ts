import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { type Charged, type ErrorCode, errorEnvelope, errorRow } from '@turnpike/contracts'

/** What Node cannot read as HTTP never reaches the routes: it gets the same envelope and a request id all the same. */
export function refuseUnreadable(docsUrl: string, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, code, message } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const { retryable, retryAfterS } = errorRow(code)
  // A request that may come back may have come before, with a payment: what became of that is not known here.
  const charged: Charged = retryable ? 'unknown' : 'no'
  const requestId = randomUUID()
  const problem = { code, charged, ...(message === undefined ? {} : { message }) }
  const body = JSON.stringify(errorEnvelope(problem, { path: '', requestId, docsUrl }))
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      `x-should-retry: ${retryable}`,
      ...(retryable && retryAfterS !== undefined ? [`Retry-After: ${retryAfterS}`] : []),
      '',
      body,
    ].join('\r\n'),
  )
}

type Refusal = { status: string; code: ErrorCode; message?: string }

const MALFORMED: Refusal = {
  status: '400 Bad Request',
  code: 'malformed_http',
  message: 'The request is not well-formed HTTP.',
}
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'malformed_http',
    message: 'The headers are larger than 64 KiB.',
  },
  // A gateway that stood still for a while meets its own time limit when it goes on: the client did nothing wrong, and may come back.
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', code: 'request_timeout' },
}
