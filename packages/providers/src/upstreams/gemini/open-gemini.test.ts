import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { TextUpstream } from '../../call-first-available.ts'
import { readChatRequest } from '../../dialects/openai-chat/read-request.ts'
import { fixture } from './fixture.ts'
import { type GeminiOptions, openGemini } from './open-gemini.ts'

const request = readChatRequest({
  model: 'gm-2.5-flash',
  messages: [{ role: 'user', content: 'When is high tide?' }],
  max_tokens: 64,
  stream: false,
})
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const http = (listener: RequestListener) => listen(createHttpServer(listener))
const raw = (onData: (socket: Socket) => void) => listen(createServer((socket) => socket.once('data', () => onData(socket))))

function open(baseUrl: string, options: Partial<GeminiOptions> = {}): TextUpstream {
  const upstream = openGemini({
    baseUrl,
    apiKey: 'test-key',
    maxConnections: 4,
    retry: { retries: 2, baseDelayMs: 1, maxDelayMs: 1_000, minCallMs: 0 },
    ...options,
  })
  closers.push(() => upstream.close())
  return upstream
}
function limits(signal = AbortSignal.timeout(20_000)) {
  return { signal, deadlineMs: Date.now() + 20_000 }
}
const complete = (upstream: TextUpstream, signal?: AbortSignal) => upstream.complete('gemini-2.5-flash', request, limits(signal))

describe('a call', () => {
  it('goes to the target under the prefix of the base URL with the key and a JSON body', async () => {
    const seen: { method?: string; url?: string; key?: unknown; type?: unknown; body: string }[] = []
    const url = await http(async (incoming, response) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      const { method = '', url = '', headers } = incoming
      seen.push({ method, url, key: headers['x-goog-api-key'], type: headers['content-type'], body })
      response.end(fixture('answer'))
    })
    const outcome = await complete(open(`${url}/proxy/`))
    expect(outcome).toMatchObject({ kind: 'succeeded', value: { stop: 'finished', usage: { inputTokens: 40, outputTokens: 7 } } })
    expect(seen).toMatchObject([
      { method: 'POST', url: '/proxy/v1beta/models/gemini-2.5-flash:generateContent', key: 'test-key', type: 'application/json' },
    ])
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'When is high tide?' }] }],
      generationConfig: { maxOutputTokens: 64, thinkingConfig: { thinkingBudget: 0 } },
    })
  })

  it('without a word to say is refused here', async () => {
    let calls = 0
    const url = await http((_incoming, response) => {
      calls += 1
      response.end(fixture('answer'))
    })
    const outcome = await open(url).complete('gemini-2.5-flash', { ...request, turns: [] }, limits())
    expect(outcome).toMatchObject({ kind: 'refused', code: 'provider_rejected_request' })
    expect(calls).toBe(0)
  })
})

describe('before anything was sent', () => {
  it('a refused connection is definite', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    expect(await complete(open(`http://127.0.0.1:${port}`))).toMatchObject({ kind: 'failed', reason: 'connect_failed' })
  })

  it('a failed TLS handshake is definite', async () => {
    const url = await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await complete(open(url.replace('http:', 'https:')))).toMatchObject({ kind: 'failed', reason: 'connect_failed' })
  })

  it('a reset during the TLS handshake is definite too, although its code is that of a lost call', async () => {
    const url = await raw((socket) => socket.resetAndDestroy())
    expect(await complete(open(url.replace('http:', 'https:')))).toMatchObject({ kind: 'failed', reason: 'connect_failed' })
  })

  it('a handshake that never ends is definite', async () => {
    const url = await raw(() => {})
    const outcome = await complete(open(url.replace('http:', 'https:'), { connectTimeoutMs: 200 }))
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connect_failed' })
  })

  it('a deadline while waiting for a connection is definite, and nothing is sent afterwards', async () => {
    let calls = 0
    let answerFirst = () => {}
    const firstArrived = Promise.withResolvers<void>()
    const url = await http((_incoming, response) => {
      calls += 1
      answerFirst = () => response.end(fixture('answer'))
      firstArrived.resolve()
    })
    const upstream = open(url, { maxConnections: 1 })
    const first = complete(upstream)
    await firstArrived.promise
    const controller = new AbortController()
    const second = complete(upstream, controller.signal)
    controller.abort()
    expect(await second).toMatchObject({ kind: 'failed', reason: 'not_sent_in_time' })
    answerFirst()
    expect(await first).toMatchObject({ kind: 'succeeded' })
    const third = complete(upstream)
    await expect.poll(() => calls).toBe(2)
    answerFirst()
    expect(await third).toMatchObject({ kind: 'succeeded' })
    expect(calls).toBe(2)
  })
})

describe('after the request was sent', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  it.each<[string, (socket: Socket) => void, string]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'connection_lost'],
    ['an orderly end without an answer', (socket) => socket.end(), 'connection_lost'],
    ['something that is not HTTP', (socket) => socket.end('hello\r\n\r\n'), 'connection_lost'],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20'), 'connection_lost'],
    ['a body shorter than promised', (socket) => socket.end(`${head}content-length: 500\r\n\r\n{"candidates"`), 'truncated_body'],
    ['chunks that do not end', (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"can`), 'truncated_body'],
    ['a note on the way and no answer', (socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'), 'connection_lost'],
    ['a body that is not JSON', (socket) => socket.end(`${head}content-length: 4\r\n\r\nnope`), 'invalid_body'],
  ])('%s is ambiguous', async (_title, onData, reason) => {
    let calls = 0
    const url = await raw((socket) => {
      calls += 1
      onData(socket)
    })
    expect(await complete(open(url))).toEqual({ kind: 'ambiguous', code: 'provider_outcome_unknown', reason })
    expect(calls).toBe(1)
  })

  it('the deadline is ambiguous, and the upstream sees the caller go', async () => {
    const controller = new AbortController()
    const gone = Promise.withResolvers<void>()
    const url = await http((incoming) => {
      incoming.on('close', () => gone.resolve())
      incoming.resume()
      incoming.on('end', () => controller.abort())
    })
    expect(await complete(open(url), controller.signal)).toMatchObject({ kind: 'ambiguous', reason: 'deadline' })
    await gone.promise
  })

  it('silence beyond the limits is ambiguous, before the status and inside the body', async () => {
    const silent = await http((incoming) => incoming.resume())
    expect(await complete(open(silent, { headersTimeoutMs: 100 }))).toMatchObject({
      kind: 'ambiguous',
      reason: 'upstream_timeout',
    })
    const stalling = await http((_incoming, response) => {
      response.write('{"candidates"')
    })
    expect(await complete(open(stalling, { bodyTimeoutMs: 100 }))).toMatchObject({
      kind: 'ambiguous',
      reason: 'upstream_timeout',
    })
  })

  it('a body beyond its limit is left unread', async () => {
    const url = await http((_incoming, response) => response.end(Buffer.alloc(200_000, 32)))
    expect(await complete(open(url, { maxResponseBytes: 100_000 }))).toMatchObject({
      kind: 'ambiguous',
      reason: 'body_too_large',
    })
  })
})

it('a rate limit is waited out and asked again', async () => {
  let calls = 0
  const url = await http((_incoming, response) => {
    calls += 1
    if (calls < 3) response.writeHead(429, { 'retry-after': '0' }).end(fixture('error-429-without-details'))
    else response.end(fixture('answer'))
  })
  expect(await complete(open(url))).toMatchObject({ kind: 'succeeded' })
  expect(calls).toBe(3)
})
