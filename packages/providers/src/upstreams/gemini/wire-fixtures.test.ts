import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChatRequest } from '../../dialects/openai-chat/read-request.ts'
import { openGemini } from './open-gemini.ts'

// Every answer that the wire has for us, byte by byte as it stands on the socket, and what the service makes of it.

const FOLDER = join(import.meta.dirname, 'fixtures', 'wire')
const rejected = 'refused provider_rejected_request request_rejected'
const account = 'failed provider_unavailable credentials_refused'
const unknown = (reason: string) => `ambiguous provider_outcome_unknown ${reason}`
const unusable = (reason: string) => `failed provider_unusable_answer ${reason} executed`
const limited = 'failed provider_overloaded rate_limited transient'

const MEANS: Record<string, string> = {
  '200-answer': 'succeeded finished',
  '200-answer-chunked': 'succeeded finished',
  '200-answer-with-calls': 'succeeded tool_calls',
  '200-ceiling-eaten-by-thoughts': 'succeeded length',
  '200-blocked-prompt': 'succeeded filtered',
  '200-filtered-midway': 'succeeded filtered',
  '200-no-parts': unusable('no_content'),
  '200-no-candidates': unusable('no_content'),
  '200-malformed-call': unusable('unusable_stop'),
  '200-half-read': unknown('truncated_body'),
  '200-half-read-chunked': unknown('truncated_body'),
  '200-cut-json': unknown('invalid_body'),
  '200-page': unknown('invalid_body'),
  '200-empty': unknown('invalid_body'),
  '200-list': unknown('invalid_body'),
  '200-wrong-type': unknown('invalid_body'),
  '302-elsewhere': unknown('unexpected_status'),
  '400-invalid-argument': rejected,
  '400-unknown-field': rejected,
  '400-bad-key': account,
  '400-billing': account,
  '400-region': account,
  '400-page': account,
  '401-unauthenticated': account,
  '403-permission-denied': account,
  '404-not-found': 'failed provider_unavailable target_missing',
  '408-page': unknown('unexpected_status'),
  '413-page': rejected,
  '422-json': rejected,
  '429-with-retry-info': `${limited} 26000`,
  '429-retry-after': `${limited} 7000`,
  '429-without-details': limited,
  '429-half-read': limited,
  '500-internal': 'failed provider_unavailable upstream_fault',
  '500-page': unknown('unexpected_status'),
  '502-page': unknown('unexpected_status'),
  '503-unavailable': 'failed provider_overloaded overloaded transient',
  '503-page': unknown('unexpected_status'),
  '503-half-read': unknown('unexpected_status'),
  '503-other-json': unknown('unexpected_status'),
  '504-deadline-exceeded': unknown('unexpected_status'),
  '504-page': unknown('unexpected_status'),
  'no-status': unknown('connection_lost'),
  'half-status': unknown('connection_lost'),
  'half-head': unknown('connection_lost'),
  'not-http': unknown('connection_lost'),
  'only-early-hints': unknown('connection_lost'),
}

let server: Server
let bytes = Buffer.alloc(0)
let calls = 0
const sockets = new Set<Socket>()
beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', () => {
      calls += 1
      socket.end(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

async function meaningOf(name: string): Promise<string> {
  bytes = readFileSync(join(FOLDER, `${name}.http`))
  calls = 0
  const upstream = openGemini({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'test-key',
    maxConnections: 1,
    retry: { retries: 0, baseDelayMs: 1, maxDelayMs: 1, minCallMs: 0 },
  })
  const request = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 64, stream: false })
  const limits = { signal: AbortSignal.timeout(20_000), deadlineMs: Date.now() + 20_000 }
  try {
    const outcome = await upstream.complete('gemini-2.5-flash', request, limits)
    if (outcome.kind === 'succeeded') return `succeeded ${outcome.value.stop}`
    const marks =
      outcome.kind === 'failed'
        ? [outcome.transient && 'transient', outcome.executed && 'executed', outcome.retryAfterMs].filter(Boolean)
        : []
    return [outcome.kind, outcome.code, outcome.reason, ...marks].join(' ')
  } finally {
    await upstream.close()
  }
}

describe('an answer of the wire', () => {
  it('is in the table for every recording', () => {
    const recorded = readdirSync(FOLDER).map((file) => file.replace(/\.http$/, ''))
    expect(Object.keys(MEANS).sort()).toEqual(recorded.sort())
  })

  it.each(Object.entries(MEANS))('%s is %s', async (name, meaning) => {
    expect(await meaningOf(name)).toBe(meaning)
    expect(calls).toBe(1)
  })
})
