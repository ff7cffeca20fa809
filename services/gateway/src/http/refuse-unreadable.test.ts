import { once } from 'node:events'
import { createServer, type Server, type ServerOptions } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { refuseUnreadable } from './refuse-unreadable.ts'

let server: Server | undefined
afterEach(() => server?.close())

async function answerTo(
  bytes: string,
  limits: ServerOptions,
): Promise<{ status: string; headers: Record<string, string>; error: Record<string, unknown> }> {
  server = createServer(limits, (_request, response) => response.end())
  server.on('clientError', (error, socket) => refuseUnreadable('https://turnpike.example/docs', error, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setEncoding('utf8').write(bytes)
  let text = ''
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ') as [string, string]))
  return { status, headers, error: (JSON.parse(body) as { error: Record<string, unknown> }).error }
}

describe('what is no request', () => {
  it('that did not arrive in time may come back: nobody looked at it', async () => {
    const hasty = { headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 10 }
    const { status, headers, error } = await answerTo('POST / HTTP/1.1\r\nHost: a\r\n', hasty)
    expect(status).toBe('HTTP/1.1 408 Request Timeout')
    expect(headers).toMatchObject({ 'x-should-retry': 'true', 'retry-after': '1', 'x-request-id': expect.any(String) })
    expect(error).toMatchObject({ code: 'request_timeout', charged: 'unknown', retryable: true })
  })

  it.each([
    ['garbage', 'no http at all\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['too many headers', `GET / HTTP/1.1\r\nx: ${'y'.repeat(4_096)}\r\n\r\n`, 'HTTP/1.1 431 Request Header Fields Too Large'],
  ])('%s need not', async (_what, bytes, expected) => {
    const { status, headers, error } = await answerTo(bytes, { maxHeaderSize: 2_048 })
    expect(status).toBe(expected)
    expect(headers['x-should-retry']).toBe('false')
    expect(error).toMatchObject({
      code: 'malformed_http',
      charged: 'no',
      retryable: false,
      type: 'invalid_request_error',
      param: null,
    })
    expect(error.doc_url).toBe('https://turnpike.example/docs#malformed_http')
  })
})
