import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type Exchange, exchange } from './exchange.ts'
import { openPool } from './upstream-options.ts'

const CALLS = 500
const CONNECTIONS = 500
const ANSWER = Buffer.from(JSON.stringify({ text: 'x'.repeat(2_000) }))

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Upstream = { url: string; opened(): number; mostInFlight(): number }

async function listen(listener: RequestListener): Promise<Upstream> {
  let opened = 0
  let inFlight = 0
  let mostInFlight = 0
  const sockets = new Set<Socket>()
  const server = createHttpServer((request, response) => {
    inFlight += 1
    mostInFlight = Math.max(mostInFlight, inFlight)
    response.once('close', () => {
      inFlight -= 1
    })
    request.resume()
    request.once('end', () => listener(request, response))
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    opened += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, listening))
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: () => opened,
    mostInFlight: () => mostInFlight,
  }
}

function caller(url: string, options: { maxConnections?: number; bodyTimeoutMs?: number; headersTimeoutMs?: number } = {}) {
  const { pool } = openPool({ baseUrl: url, apiKey: 'key', maxConnections: CONNECTIONS, connectTimeoutMs: 60_000, ...options })
  closers.push(() => pool.destroy())
  const body = Buffer.from('{"prompt":"Hi"}')
  return (signal: AbortSignal, maxResponseBytes = 1_000_000): Promise<Exchange> =>
    exchange(pool, { path: '/', headers: { 'content-type': 'application/json' }, body, maxResponseBytes }, signal)
}
const atOnce = (call: () => Promise<Exchange>) => Promise.all(Array.from({ length: CALLS }, call))
const long = () => AbortSignal.timeout(60_000)

it('makes five hundred calls at once, each over a connection of its own, and the next five hundred over the same ones', async () => {
  const waiting: (() => void)[] = []
  const upstream = await listen((_request, response) => {
    waiting.push(() => response.end(ANSWER))
    if (waiting.length === CALLS) for (const answer of waiting.splice(0)) answer()
  })
  const call = caller(upstream.url)
  for (let round = 0; round < 3; round++) {
    const answers = await atOnce(() => call(long()))
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'response', status: 200, end: 'whole', body: ANSWER })
  }
  expect(upstream.mostInFlight()).toBe(CALLS)
  expect(upstream.opened()).toBe(CONNECTIONS)
})

it('lets no more calls out than it has connections, and loses none that wait', async () => {
  const upstream = await listen((_request, response) => void setImmediate(() => response.end(ANSWER)))
  const call = caller(upstream.url, { maxConnections: 20 })
  const answers = await atOnce(() => call(long()))
  expect(answers.filter((answer) => answer.kind === 'response' && answer.end === 'whole')).toHaveLength(CALLS)
  expect(upstream.mostInFlight()).toBeLessThanOrEqual(20)
  expect(upstream.opened()).toBe(20)
})

it('tells those that were sent from those that were not when the deadline of all passes', async () => {
  const upstream = await listen(() => {})
  const call = caller(upstream.url, { maxConnections: 50 })
  const deadline = new AbortController()
  const calls = atOnce(() => call(deadline.signal))
  await expect.poll(() => upstream.mostInFlight()).toBe(50)
  deadline.abort()
  const ends = await calls
  expect(ends.filter(({ kind }) => kind === 'no_response')).toHaveLength(50)
  expect(ends.filter(({ kind }) => kind === 'not_sent')).toHaveLength(CALLS - 50)
})

it('ends five hundred bodies that stall, and five hundred that are too large, within their limits', async () => {
  const stalling = await listen((_request, response) => void response.write('{"text"'))
  const impatient = caller(stalling.url, { bodyTimeoutMs: 200 })
  const stalled = await atOnce(() => impatient(long()))
  expect(stalled.filter((end) => end.kind === 'response' && end.end === 'timeout')).toHaveLength(CALLS)

  const large = await listen((_request, response) => response.end(Buffer.alloc(150_000, 'x')))
  const call = caller(large.url)
  const cut = await atOnce(() => call(long(), 50_000))
  for (const end of cut) {
    expect(end).toMatchObject({ kind: 'response', end: 'too_large' })
    expect(end.kind === 'response' ? end.body.length : 0).toBeLessThanOrEqual(50_000)
  }
})

it('keeps nothing of a deadline that did not come', async () => {
  const upstream = await listen((_request, response) => response.end(ANSWER))
  const call = caller(upstream.url)
  const deadline = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = deadline.signal
  deadline.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners += 1
    addEventListener.apply(deadline.signal, args)
  }
  deadline.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners -= 1
    removeEventListener.apply(deadline.signal, args)
  }
  await atOnce(() => call(deadline.signal))
  expect(listeners).toBe(0)
})
