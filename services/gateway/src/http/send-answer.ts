import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { errorEnvelope, errorRow, type Problem } from '@turnpike/contracts'
import { encodePaymentResponseHeader } from '@turnpike/payments'
import { type TokenKeys, tokenFor, tokenKeyOf } from '@turnpike/sealing'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import type { Answer } from '../paid/answer.ts'
import { challengeAnswer, docsUrl } from './challenge-answer.ts'
import { CORS_HEADERS } from './cors.ts'

export type SendDeps = { publicBaseUrl: string; payTo: string; receiptTokenKeys: TokenKeys }
export type Place = {
  requestId: string
  path: string
  endpoint?: Pick<PaidEndpointDefinition, 'path' | 'description' | 'requestSchema'>
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Headers and bytes of an answer. The body of a release goes out exactly as it was committed. */
export function sendAnswer(deps: SendDeps, response: ServerResponse, place: Place, answer: Answer): void {
  switch (answer.kind) {
    case 'problem':
      return sendProblem(deps, response, place, answer.problem)
    case 'challenge':
      return sendChallenge(deps, response, place, answer)
    case 'release':
      return sendRelease(deps, response, place, answer)
    case 'gone':
      response.destroy()
  }
}

export function sendProblem(
  deps: SendDeps,
  response: ServerResponse,
  place: Place,
  problem: Problem,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = errorEnvelope(problem, { path: place.path, requestId: place.requestId, docsUrl: docsUrl(deps) })
  sendJson(response, place, body, {
    status: errorRow(problem.code).status,
    headers: { ...headers, ...retryHeaders(problem), 'cache-control': 'no-store' },
  })
}

function sendChallenge(
  deps: SendDeps,
  response: ServerResponse,
  place: Place,
  answer: Extract<Answer, { kind: 'challenge' }>,
): void {
  const { header, body } = challengeAnswer(deps, place, answer)
  send(response, place, body, {
    status: 402,
    headers: {
      'content-type': JSON_TYPE,
      'PAYMENT-REQUIRED': header,
      ...(answer.challenge.type === 'inspection' ? { 'X-Service-Challenge-Kind': 'inspection' } : {}),
      'cache-control': 'no-store',
      'x-should-retry': 'false',
    },
  })
}

function sendRelease(
  deps: SendDeps,
  response: ServerResponse,
  place: Place,
  { release, body, replayed }: Extract<Answer, { kind: 'release' }>,
): void {
  send(response, place, body, {
    headers: {
      'content-type': release.contentType,
      'X-Receipt-ID': release.receiptId,
      'X-Receipt-Token': tokenFor(deps.receiptTokenKeys, release.receiptId, tokenKeyOf(deps.receiptTokenKeys, release.createdS)),
      'X-Catalog-Version': release.catalogVersion,
      'PAYMENT-RESPONSE': encodePaymentResponseHeader(
        release.paymentResponse as Parameters<typeof encodePaymentResponseHeader>[0],
      ),
      'cache-control': 'private, no-store',
      ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    },
  })
}

/** Official clients retry 409 and 5xx on their own: `x-should-retry` tells them where that cannot help. */
function retryHeaders({ code, retryAfterS }: Problem): OutgoingHttpHeaders {
  const row = errorRow(code)
  if (!row.retryable) return { 'x-should-retry': 'false' }
  const seconds = retryAfterS ?? row.retryAfterS
  return { 'x-should-retry': 'true', ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }) }
}

type Outgoing = { status?: number; headers?: OutgoingHttpHeaders }

export function sendJson(
  response: ServerResponse,
  call: { requestId: string },
  body: unknown,
  { status, headers }: Outgoing = {},
): void {
  send(response, call, JSON.stringify(body), {
    ...(status === undefined ? {} : { status }),
    headers: { 'content-type': JSON_TYPE, ...headers },
  })
}

/** Every answer goes out here. X-Request-ID is always ours. */
export function send(
  response: ServerResponse,
  { requestId }: { requestId: string },
  body: string | Buffer,
  { status = 200, headers }: Outgoing,
): void {
  const bytes = Buffer.byteLength(body)
  response.writeHead(status, {
    'X-Request-ID': requestId,
    // Where Anthropic's clients look for it.
    'request-id': requestId,
    ...CORS_HEADERS,
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': bytes }),
  })
  // Head and body of a text leave in one piece, in the encoding that is given here. One byte a character is the cheaper one.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
}
