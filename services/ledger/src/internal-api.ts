import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  AuditAuthorizationsRequest,
  compile,
  LookupRequest,
  SettleStoredRequest,
  type SettleStoredResponse,
} from '@turnpike/contracts'
import { type Ed25519PrivateJwk, publicJwk } from '@turnpike/sealing'
import { bearerCheck, sendJson } from '@turnpike/service'
import { inSpan, isTracing } from '@turnpike/telemetry/tracing'
import { parseAuditRange, parseReceiptPage } from './audit-pages.ts'
import { readAuditAuthorizations, readAuditPayments, readStrayReceipts } from './audit-rows.ts'
import type { Database } from './database.ts'
import { lookUp } from './lookup.ts'
import { readReceipt, readRelease } from './releases.ts'

type Deps = {
  database: Database
  /** `commanding` may do everything here, `reading` only what changes nothing. */
  tokens: { commanding: readonly string[]; reading: readonly string[] }
  signingKeys: readonly Ed25519PrivateJwk[]
  settleStored: (request: SettleStoredRequest) => Promise<SettleStoredResponse>
}

// 500 items of about 330 bytes, and one sealed payment of at most 256 KiB in base64, both with room.
const MAX_BODY_BYTES = 512 * 1024
const BODY_TIMEOUT_MS = 10_000
const parseLookup = compile(LookupRequest)
const parseSettleStored = compile(SettleStoredRequest)
const parseAuditAuthorizations = compile(AuditAuthorizationsRequest)
const JOB_ID = /^\/internal\/releases\/([0-9a-f]{64})$/
const RECEIPT_ID = /^\/internal\/receipts\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The ledger's HTTP interface for the gateway; false for a path that is not its own. */
export function internalApi(deps: Deps): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const mayCommand = bearerCheck(deps.tokens.commanding)
  const mayRead = bearerCheck([...deps.tokens.commanding, ...deps.tokens.reading])
  return async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (!path.startsWith('/internal/')) return false
    const isAllowed = READS.some((prefix) => path.startsWith(prefix)) ? mayRead : mayCommand
    if (!isAllowed(request.headers.authorization)) {
      response.setHeader('www-authenticate', 'Bearer')
      sendJson(response, 401, { error: 'unauthorized' })
      return true
    }
    const answer = await tracedRoute(deps, request, path)
    if (answer === 'too_large') response.setHeader('connection', 'close')
    if (typeof answer === 'string') sendJson(response, STATUS[answer], { error: answer })
    else sendJson(response, 200, answer)
    return true
  }
}

/** What an auditor asks. Releases are sealed, and whoever has no content key learns their size from them. */
const READS = ['/internal/audit/', '/internal/releases/']

/** Look-ups are many requests in one call, so of none of their traces. */
async function tracedRoute(deps: Deps, request: IncomingMessage, path: string): Promise<object | Refusal> {
  const { traceparent } = request.headers
  if (!isTracing() || typeof traceparent !== 'string') return route(deps, request, path)
  const { method = '' } = request
  const template = JOB_ID.test(path) ? '/internal/releases/{jobId}' : path === '/internal/settle-stored' ? path : 'other'
  const attributes = { 'http.request.method': method, 'http.route': template }
  return inSpan(`${method} ${template}`, { kind: 'server', from: traceparent, attributes }, async (span) => {
    const answer = await route(deps, request, path)
    span.set({ 'http.response.status_code': typeof answer === 'string' ? STATUS[answer] : 200 })
    return answer
  })
}

const STATUS = { not_found: 404, method_not_allowed: 405, invalid: 400, too_large: 413 } as const
type Refusal = keyof typeof STATUS

async function route(deps: Deps, request: IncomingMessage, path: string): Promise<object | Refusal> {
  const { database, signingKeys, settleStored } = deps
  if (path === '/internal/lookup') return post(request, parseLookup, (body) => lookUp(database, body))
  if (path === '/internal/settle-stored') return post(request, parseSettleStored, settleStored)
  if (path === '/internal/jwks') return get(request, async () => ({ keys: signingKeys.map(publicJwk) }))
  const jobId = JOB_ID.exec(path)?.[1]
  if (jobId !== undefined) return get(request, () => readRelease(database, jobId))
  const receiptId = RECEIPT_ID.exec(path)?.[1]
  if (receiptId !== undefined) return get(request, () => readReceipt(database, receiptId))
  if (path.startsWith('/internal/audit/')) return audit(database, request, path)
  return 'not_found'
}

async function audit(database: Database, request: IncomingMessage, path: string): Promise<object | Refusal> {
  const query = new URLSearchParams((request.url ?? '').slice(path.length))
  switch (path) {
    case '/internal/audit/authorizations':
      return post(request, parseAuditAuthorizations, (body) => readAuditAuthorizations(database, body))
    case '/internal/audit/payments': {
      const range = parseAuditRange(query)
      return range === undefined ? 'invalid' : get(request, () => readAuditPayments(database, range))
    }
    case '/internal/audit/stray-receipts': {
      const after = parseReceiptPage(query)
      return after === undefined ? 'invalid' : get(request, () => readStrayReceipts(database, after))
    }
    default:
      return 'not_found'
  }
}

async function get(request: IncomingMessage, read: () => Promise<object | undefined>): Promise<object | Refusal> {
  if (request.method !== 'GET') return 'method_not_allowed'
  return (await read()) ?? 'not_found'
}

async function post<T>(
  request: IncomingMessage,
  parse: (value: unknown) => { ok: true; value: T } | { ok: false },
  handle: (body: T) => Promise<object>,
): Promise<object | Refusal> {
  if (request.method !== 'POST') return 'method_not_allowed'
  const bytes = await readBody(request)
  if (bytes === undefined) return 'too_large'
  const parsed = parse(parseJson(bytes))
  return parsed.ok ? handle(parsed.value) : 'invalid'
}

/** Undefined when it is larger than any body of this interface. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  request.setTimeout(BODY_TIMEOUT_MS)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
