import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '@turnpike/contracts'

/** What Node cannot read as HTTP never reaches the routes: it gets the same envelope and a request id all the same. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, message } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const requestId = randomUUID()
  const body = JSON.stringify({
    error: { message, type: 'invalid_request_error', param: null, code: CODE, charged: 'no', retryable: false },
    request_id: requestId,
  })
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${requestId}`,
      'x-should-retry: false',
      '',
      body,
    ].join('\r\n'),
  )
}

const CODE: ErrorCode = 'malformed_http'
const MALFORMED = { status: '400 Bad Request', message: 'The request is not well-formed HTTP.' }
const REFUSALS: Record<string, typeof MALFORMED> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', message: 'The headers are larger than 64 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request did not arrive in time.' },
}
