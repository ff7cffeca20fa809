import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Call, CallLog, Outcome } from './call-log.ts'
import type { Fault, FaultList } from './fault-list.ts'
import type { AnswerMode, PreparedCall, Reply, Upstream } from './reply.ts'

/** Above every body that the vendors take inline here; what is larger is refused before it can fill the memory. */
const maxBodyBytes = 64 * 1024 * 1024

export interface UpstreamServerDeps {
  upstream: Upstream
  calls: CallLog
  faults: FaultList
  latencyMs: number
}

/** One vendor's public port: record on receipt, apply the first matching fault, else answer. */
export function createUpstreamServer(deps: UpstreamServerDeps): Server {
  const server = createServer((request, response) => {
    // A bug in one answer must not end the process with a thousand others in flight.
    serve(deps, request, response).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      response.destroy()
    })
  })
  server.requestTimeout = 0
  // Longer than any client's pool keeps a socket, so that no request meets a socket that is just closing.
  server.keepAliveTimeout = 120_000
  return server
}

async function serve(deps: UpstreamServerDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request)
  if (body === 'gone') return
  if (body === 'too-large') {
    const refusal = deps.upstream.tooLarge()
    send(response, { ...refusal, headers: { ...refusal.headers, connection: 'close' } })
    return
  }
  const target = request.url ?? '/'
  const url = new URL(target, 'http://upstream')
  const prepared = deps.upstream.prepare({
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    body,
  })
  const call = deps.calls.record({
    upstream: deps.upstream.name,
    path: url.pathname,
    model: prepared.model,
    text: prepared.text,
    bodySha256: createHash('sha256').update(body).digest('hex'),
  })
  const fault = deps.faults.take(deps.upstream.name, target, body)
  const delayMs = deps.latencyMs + (fault?.kind === 'hang' ? 0 : (fault?.ms ?? 0))
  const released = fault?.kind === 'latency' ? deps.faults.untilCleared() : undefined
  if (delayMs > 0 && !(await stillThereAfter(delayMs, response, released))) call.outcome = 'client-gone'
  else if (fault) await applyFault(deps, { fault, call, prepared, request, response })
  else deliver(call, response, await prepared.answer('normal', call.n), 'ok')
}

interface FaultyCall {
  fault: Fault
  call: Call
  prepared: PreparedCall
  request: IncomingMessage
  response: ServerResponse
}

async function applyFault(deps: UpstreamServerDeps, { fault, call, prepared, request, response }: FaultyCall): Promise<void> {
  const outcome: Outcome = `fault:${fault.kind}`
  const answerAs = async (mode: AnswerMode) => deliver(call, response, await prepared.answer(mode, call.n), outcome)
  switch (fault.kind) {
    case 'latency':
      await answerAs('normal')
      break
    case 'blocked':
    case 'no-content':
      await answerAs(fault.kind)
      break
    case 'status-429':
      deliver(call, response, deps.upstream.faultReply(429), outcome)
      break
    case 'status-500':
      deliver(call, response, deps.upstream.faultReply(500), outcome)
      break
    case 'status-503':
      deliver(call, response, deps.upstream.faultReply(503), outcome)
      break
    case 'invalid-json':
      deliver(call, response, { status: 200, headers: { 'content-type': 'application/json' }, body: [brokenJson] }, outcome)
      break
    case 'reset-before-response':
      call.outcome = outcome
      request.socket.resetAndDestroy()
      break
    case 'hang':
      call.outcome = outcome
      hang(fault, request, response)
      break
    case 'truncated-body':
      call.outcome = outcome
      sendHalf(response, await prepared.answer('normal', call.n))
      break
  }
}

const brokenJson = Buffer.from('{"candidates": [{"content": {"parts": [{"text": "cut o')

function readBody(request: IncomingMessage): Promise<Buffer | 'gone' | 'too-large'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        resolve('too-large')
      }
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', () => resolve('gone'))
    request.on('error', () => resolve('gone'))
  })
}

/** Waits, no longer than until it is released; false as soon as the client has left. */
function stillThereAfter(ms: number, response: ServerResponse, released?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      response.off('close', end)
      released?.removeEventListener('abort', end)
      resolve(!response.destroyed)
    }
    const timer = setTimeout(end, ms)
    response.once('close', end)
    released?.addEventListener('abort', end)
  })
}

function deliver(call: Call, response: ServerResponse, reply: Reply, outcome: Outcome): void {
  if (response.destroyed) {
    call.outcome = 'client-gone'
    return
  }
  // Settled when the last byte is handed to the socket: whoever reads the answer and then the calls finds the outcome.
  response.once('prefinish', () => {
    call.outcome = outcome
  })
  response.once('close', () => {
    if (!response.writableFinished) call.outcome = 'client-gone'
  })
  send(response, reply)
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, { ...reply.headers, ...lengthOf(reply) })
  for (const chunk of reply.body) response.write(chunk)
  response.end()
}

function lengthOf(reply: Reply): Record<string, string> {
  if (reply.headers['transfer-encoding'] !== undefined) return {}
  return { 'content-length': String(bytesOf(reply)) }
}

function bytesOf(reply: Reply): number {
  return reply.body.reduce((sum, chunk) => sum + chunk.length, 0)
}

/** The headers promise the whole body; half of it follows, then the connection ends. */
function sendHalf(response: ServerResponse, reply: Reply): void {
  const whole = Buffer.concat(reply.body)
  response.writeHead(reply.status, { ...reply.headers, ...lengthOf(reply) })
  response.write(whole.subarray(0, whole.length >> 1), () => response.destroy())
}

function hang(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  if (fault.ms === undefined) return
  const timer = setTimeout(() => request.socket.resetAndDestroy(), fault.ms)
  response.once('close', () => clearTimeout(timer))
}
