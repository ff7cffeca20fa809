import { inSpan, type OpenSpan } from '@turnpike/telemetry/tracing'
import type { PaymentPayload, PaymentRequirements, SettleResponse, SupportedResponse } from '@x402/core/types'
import { Agent, type Dispatcher, request } from 'undici'
import { blameOfRejection, isRevertOfToken, refusalReason } from './facilitator-reasons.ts'
import { type Hex, NETWORK } from './usdc.ts'

export type { SettleResponse, SupportedResponse }

/** A facilitator's answer is a few hundred bytes; anything much larger is not one. */
const MAX_ANSWER_BYTES = 256 * 1024
const MAX_CONNECTIONS = 64

/** Why there is no answer to go by. `not_connected` is the only one after which nothing can have been sent. */
export type NoAnswer = 'not_connected' | 'timeout' | 'connection_lost' | 'http_status' | 'invalid_answer'

export type VerifyResult =
  | { kind: 'valid'; payer: Hex | undefined }
  | { kind: 'rejected'; reason: string; blame: 'payer' | 'operator' }
  | { kind: 'unavailable'; why: NoAnswer; detail: string }

export type SettleResult =
  | { kind: 'settled'; transaction: Hex; payer: Hex; response: SettleResponse }
  /** Provably not sent by this call. A call before it may have been: after an `unknown`, only the chain can say "no". */
  | { kind: 'refused'; reason: string; blame: 'payer' | 'operator' }
  | { kind: 'unknown'; why: NoAnswer | 'not_settled'; reason: string; transaction: Hex | undefined }

export interface SettleInput {
  payload: PaymentPayload
  requirements: PaymentRequirements
  /** Lower-cased; an answer about another payer is no answer. */
  payer: Hex
  /** For the log of a facilitator of our own. */
  requestId?: string
}

export interface FacilitatorClient {
  verify(input: { payload: PaymentPayload; requirements: PaymentRequirements; requestId?: string }): Promise<VerifyResult>
  settle(input: SettleInput): Promise<SettleResult>
  supported(): Promise<
    { kind: 'supported'; response: SupportedResponse } | { kind: 'unavailable'; why: NoAnswer; detail: string }
  >
  close(): Promise<void>
}

/**
 * The official wire over pooled connections, without retries: a settle that is repeated blindly is a second broadcast, and
 * who repeats a verify has a reader waiting. `settleTimeoutMs` must outlast the facilitator's own wait for the receipt.
 */
export function openFacilitatorClient(options: {
  url: string
  timeoutMs: number
  settleTimeoutMs?: number
  headers?: Record<string, string>
  /** PEM of the only authority that is trusted for an https facilitator; for a dispatcher, whoever made it has seen to that. */
  tlsCa?: string | undefined
  dispatcher?: Dispatcher
}): FacilitatorClient {
  const base = options.url.replace(/\/+$/, '')
  const { tlsCa } = options
  const trust = tlsCa === undefined ? {} : { connect: { ca: tlsCa } }
  const ownAgent =
    options.dispatcher === undefined ? new Agent({ connections: MAX_CONNECTIONS, pipelining: 1, ...trust }) : undefined
  const dispatcher = options.dispatcher ?? ownAgent
  const call = (method: 'GET' | 'POST', path: string, timeoutMs: number, body?: unknown, joining: Record<string, string> = {}) =>
    exchange({ url: `${base}${path}`, method, body, timeoutMs, headers: { ...options.headers, ...joining }, dispatcher })
  const post = (path: string, timeoutMs: number, body: unknown, requestId: string | undefined) =>
    inSpan(
      `POST ${path}`,
      { kind: 'client', attributes: { 'http.request.method': 'POST', 'url.template': path } },
      async (span) => {
        const joining = {
          ...(span.traceparent === undefined ? {} : { traceparent: span.traceparent }),
          ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
        }
        const answer = await call('POST', path, timeoutMs, body, joining)
        tell(span, answer)
        return answer
      },
    )
  return {
    async verify({ payload, requirements, requestId }) {
      const body = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements }
      const answer = await post('/verify', options.timeoutMs, body, requestId)
      return answer.kind === 'answer' ? readVerify(answer) : { kind: 'unavailable', why: answer.why, detail: answer.detail }
    },
    async settle({ payload, requirements, payer, requestId }) {
      const body = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements }
      const answer = await post('/settle', options.settleTimeoutMs ?? options.timeoutMs, body, requestId)
      if (answer.kind === 'none') return { kind: 'unknown', why: answer.why, reason: answer.detail, transaction: undefined }
      return readSettle(answer, payer)
    },
    async supported() {
      const answer = await call('GET', '/supported', options.timeoutMs)
      if (answer.kind === 'none') return { kind: 'unavailable', why: answer.why, detail: answer.detail }
      const kinds = answer.json.kinds
      if (answer.status !== 200) return { kind: 'unavailable', why: 'http_status', detail: `status ${answer.status}` }
      if (!Array.isArray(kinds)) return { kind: 'unavailable', why: 'invalid_answer', detail: 'no list of kinds' }
      const extensions = answer.json.extensions
      const signers = answer.json.signers
      const response = {
        kinds,
        extensions: Array.isArray(extensions) ? extensions : [],
        signers: isRecord(signers) ? signers : {},
      }
      return { kind: 'supported', response: response as SupportedResponse }
    },
    async close() {
      await ownAgent?.close()
    },
  }
}

function tell(span: OpenSpan, answer: Awaited<ReturnType<typeof exchange>>): void {
  if (answer.kind === 'none') return span.fail(answer.why)
  span.set({ 'http.response.status_code': answer.status })
  if (answer.status >= 500) span.fail(String(answer.status))
}

type Answer = { kind: 'answer'; status: number; json: Record<string, unknown> }

function readVerify(answer: Answer): VerifyResult {
  const isValid = answer.json.isValid
  const reason = answer.json.invalidReason
  // Some facilitators answer a rejection with a 4xx and the same body; a 5xx is a fault of theirs whatever it says.
  if (answer.status >= 500) return { kind: 'unavailable', why: 'http_status', detail: `status ${answer.status}` }
  if (isValid === false) {
    const name = typeof reason === 'string' && reason !== '' ? reason : 'unspecified'
    return { kind: 'rejected', reason: name, blame: blameOfRejection(name) }
  }
  if (answer.status !== 200) return { kind: 'unavailable', why: 'http_status', detail: `status ${answer.status}` }
  if (isValid !== true) return { kind: 'unavailable', why: 'invalid_answer', detail: 'no isValid' }
  return { kind: 'valid', payer: asAddress(answer.json.payer) }
}

function readSettle(answer: Answer, payer: Hex): SettleResult {
  const { json } = answer
  const transaction = asTransaction(json.transaction)
  const reason = typeof json.errorReason === 'string' && json.errorReason !== '' ? json.errorReason : 'unspecified'
  if (answer.status >= 500) return { kind: 'unknown', why: 'http_status', reason: `status ${answer.status}`, transaction }
  if (json.success === true) {
    const named = asAddress(json.payer)
    const isOurs = answer.status === 200 && (named === undefined || named === payer) && json.network === NETWORK
    if (!isOurs || transaction === undefined)
      return { kind: 'unknown', why: 'invalid_answer', reason: 'success without our transfer', transaction }
    return {
      kind: 'settled',
      transaction,
      payer,
      response: { ...json, success: true, transaction, network: NETWORK, payer: named ?? payer },
    }
  }
  if (json.success !== false) return { kind: 'unknown', why: 'invalid_answer', reason: `status ${answer.status}`, transaction }
  const refusal = refusalReason(reason)
  const message = json.errorMessage
  const isBeforeSending = typeof message !== 'string' || message === '' || isRevertOfToken(message)
  // With a transaction there was a broadcast, whatever the reason says.
  if (refusal === undefined || !isBeforeSending || hasTransaction(json))
    return { kind: 'unknown', why: 'not_settled', reason, transaction }
  return { kind: 'refused', reason, blame: refusal.blame }
}

async function exchange(options: {
  url: string
  method: 'GET' | 'POST'
  body: unknown
  timeoutMs: number
  headers: Record<string, string>
  dispatcher: Dispatcher | undefined
}): Promise<Answer | { kind: 'none'; why: NoAnswer; detail: string }> {
  // One deadline over connecting, sending, headers and body.
  const signal = AbortSignal.timeout(options.timeoutMs)
  try {
    const response = await request(options.url, {
      method: options.method,
      headers: { ...options.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
    })
    const text = await readBounded(response.body)
    if (text === undefined) return { kind: 'none', why: 'invalid_answer', detail: 'answer too large' }
    const json = parseRecord(text)
    if (json === undefined) {
      const why = response.statusCode === 200 ? 'invalid_answer' : 'http_status'
      return { kind: 'none', why, detail: `status ${response.statusCode} without a JSON object` }
    }
    return { kind: 'answer', status: response.statusCode, json }
  } catch (error) {
    const code = errorCode(error)
    if (NEVER_CONNECTED.has(code)) return { kind: 'none', why: 'not_connected', detail: code }
    const isTimeout = signal.aborted || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
    return { kind: 'none', why: isTimeout ? 'timeout' : 'connection_lost', detail: code }
  }
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  // A certificate is looked at before anything of the request is sent.
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
])

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) {
      body.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0])
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.name : 'unknown'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function asAddress(value: unknown): Hex | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? (value.toLowerCase() as Hex) : undefined
}

function asTransaction(value: unknown): Hex | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? (value.toLowerCase() as Hex) : undefined
}

function hasTransaction(json: Record<string, unknown>): boolean {
  return typeof json.transaction === 'string' && json.transaction !== ''
}
