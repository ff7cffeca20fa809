import { randomUUID } from 'node:crypto'
import { chat, clearFaults, HELD_MS, post, quoteAndSign, signChallenge } from '@turnpike/testing'
import { altered, moveAway, resigned } from './authorizations.ts'
import type { Dialect } from './dialects.ts'
import type { Failure } from './error-answer.ts'
import { expireResult } from './expire-result.ts'
import type { Attempt, FailureRow, WireRequest } from './walk-failure.ts'

// The failure contract of the paid endpoints: what goes wrong → what the client is told, and what becomes of its payment. The figures
// are spelled out here, not read from the product's own table, so that a change of the contract is a change of this file.

type Code = Failure['code']
const no = (status: number, code: Code): Failure => ({ status, code, charged: 'no', retryable: false })
const later = (status: number, code: Code, retryAfterS: number): Failure => ({
  status,
  code,
  charged: 'no',
  retryable: true,
  retryAfterS,
})

const PROVIDER: FailureRow[] = [
  {
    condition: 'the model answers 429 and says when',
    fault: { kind: 'status-429' },
    failure: later(503, 'provider_overloaded', 26),
    executed: true,
    afterwards: 'paid',
  },
  {
    condition: 'the model sheds load',
    fault: { kind: 'status-503' },
    failure: later(503, 'provider_overloaded', 10),
    executed: true,
    afterwards: 'paid',
  },
  {
    condition: 'the model fails by its own word',
    fault: { kind: 'status-500' },
    failure: later(503, 'provider_unavailable', 5),
    executed: true,
    afterwards: 'paid',
  },
  {
    condition: 'the model answers nothing',
    fault: { kind: 'no-content' },
    failure: later(503, 'provider_unusable_answer', 2),
    executed: true,
    afterwards: 'paid',
  },
  ...(
    [
      ['the connection to the model is reset', { kind: 'reset-before-response' }],
      ['the model hangs until the connection is reset', { kind: 'hang', ms: 200 }],
      ['the answer of the model is cut off', { kind: 'truncated-body' }],
      ['the answer of the model is no JSON', { kind: 'invalid-json' }],
    ] as const
  ).map(
    ([condition, fault]): FailureRow => ({
      condition,
      fault,
      failure: no(503, 'provider_outcome_unknown'),
      executed: true,
      afterwards: 'same',
    }),
  ),
  {
    condition: 'the model refuses a conversation that ends before anybody asked',
    body: (marker) => chat(marker, { messages: [{ role: 'assistant', content: marker }] }),
    failure: no(400, 'provider_rejected_request'),
    executed: false,
    afterwards: 'same',
  },
]

/** A signed request whose body, type or key is wrong. Nothing happens to its payment. */
const REQUEST: FailureRow[] = (
  [
    ['the content type is text', no(415, 'unsupported_media_type'), header('content-type', 'text/plain')],
    ['the body is larger than 20 MiB', no(413, 'payload_too_large'), body(() => ' '.repeat(20 * 1024 * 1024 + 1))],
    ['the body is no JSON', no(400, 'invalid_json'), body(() => '{')],
    ['the body lacks its messages', no(400, 'missing_required_field'), changed({ messages: undefined })],
    ['max_tokens is 0', no(400, 'invalid_value'), changed({ max_tokens: 0 })],
    ['a field is not supported', no(400, 'unsupported_field'), changed({ logit_bias: { 1: 1 }, container: 'c' })],
    ['a value is not supported', no(400, 'unsupported_value'), changed({ verbosity: 'low', speed: 'fast' })],
    ['the model does not exist', no(400, 'model_not_available'), changed({ model: 'gpt-5' })],
    [
      'the request is larger than the context',
      no(400, 'context_length_exceeded'),
      changed({ messages: [{ role: 'user', content: '7'.repeat(1_100_000) }] }),
    ],
    ['the key is missing', no(400, 'idempotency_key_required'), header('x-idempotency-key', undefined)],
    ['the key has a space', no(400, 'idempotency_key_invalid'), header('x-idempotency-key', 'two words')],
    ['the body is another one', no(409, 'idempotency_key_reused'), changed({ max_tokens: 65 })],
  ] as const
).map(([condition, failure, meddle]) => ({ condition, failure, meddle, executed: false, afterwards: 'paid' }))

/** A request whose payment is not taken. The payment that was signed for it stays good. */
const PAYMENT: FailureRow[] = (
  [
    ['no payment comes along', no(402, 'payment_required'), header('payment-signature', undefined)],
    [
      'no payment and no complete body come along',
      no(402, 'inspection'),
      (request: WireRequest) => ({ ...without(request, 'payment-signature'), body: '{}' }),
    ],
    ['the payment is no Base64', no(400, 'payment_header_malformed'), header('payment-signature', '%%%')],
    [
      'the payment is of another amount',
      no(402, 'payment_mismatch'),
      payment((sent, { wallet }) => resigned(wallet, sent, { value: '1' })),
    ],
    [
      'the payment was made for an inspection challenge',
      no(402, 'inspection_payment_refused'),
      payment(async (_sent, { url, wallet }) => (await signChallenge(wallet, await post({ url, body: '' }))).header),
    ],
    [
      'the signature is somebody else’s',
      no(402, 'payment_signature_invalid'),
      payment((sent) =>
        altered(sent, ({ payload }) => {
          payload.authorization.from = `0x${'12'.repeat(20)}`
        }),
      ),
    ],
    [
      'the signature is by a wallet that is not deployed',
      no(402, 'payment_rejected'),
      payment((sent) =>
        altered(sent, ({ payload }) => {
          payload.signature = undeployedWalletSignature()
        }),
      ),
    ],
    [
      'the authorization ends too soon',
      no(402, 'authorization_expires_too_soon'),
      payment((sent, { wallet }) => resigned(wallet, sent, { validBefore: inSeconds(60) })),
    ],
    [
      'the authorization is for later',
      no(402, 'authorization_not_yet_valid'),
      payment((sent, { wallet }) => resigned(wallet, sent, { validAfter: inSeconds(60) })),
    ],
    [
      'the authorization is good for a day',
      no(402, 'authorization_expires_too_late'),
      payment((sent, { wallet }) => resigned(wallet, sent, { validBefore: inSeconds(86_400) })),
    ],
  ] as const
).map(([condition, failure, meddle]) => ({ condition, failure, meddle, executed: false, afterwards: 'paid' }))

const MONEY: FailureRow[] = [
  {
    condition: 'the payment paid another request',
    failure: no(402, 'payment_already_used'),
    meddle: payment(async (_sent, { url, wallet }) => {
      const other = { url, body: chat('Another request'), key: randomUUID() }
      const spent = await quoteAndSign(wallet, other)
      await (await post({ ...other, payment: spent })).body?.cancel()
      return spent
    }),
    executed: false,
    paidBefore: true,
    afterwards: 'paid',
  },
  {
    condition: 'the wallet is too poor',
    usdc: 0.001,
    failure: no(402, 'insufficient_funds'),
    executed: false,
    afterwards: 'paid_when_funded',
  },
  {
    condition: 'the balance is moved away while the model works',
    usdc: 0.002,
    fault: { kind: 'latency', ms: HELD_MS },
    during: async ({ stack, wallet }) => {
      await moveAway(stack, wallet, 1_000n)
      await clearFaults(stack)
    },
    failure: no(402, 'settlement_failed'),
    executed: true,
    afterwards: 'paid_when_funded',
  },
  {
    condition: 'the result was paid more than seven days ago',
    before: async (attempt) => {
      const first = await quoteAndSign(attempt.wallet, attempt)
      await (await post({ ...attempt, payment: first })).body?.cancel()
      await expireResult(attempt.stack, attempt.key)
    },
    failure: { status: 409, code: 'idempotency_result_expired', charged: 'yes', retryable: false },
    executed: false,
    paidBefore: true,
    afterwards: 'same',
  },
]

/** An image that no stranger may have fetched. */
const IMAGE_URL = 'https://127.0.0.1/a.png'
const IMAGES: Record<Dialect, object> = {
  chat: { type: 'image_url', image_url: { url: IMAGE_URL } },
  messages: { type: 'image', source: { type: 'url', url: IMAGE_URL } },
}
const unavailableImage = (dialect: Dialect): FailureRow => ({
  condition: 'an image of the request cannot be had',
  body: (marker) => chat(marker, { messages: [{ role: 'user', content: [{ type: 'text', text: marker }, IMAGES[dialect]] }] }),
  failure: no(400, 'image_unavailable'),
  executed: false,
  afterwards: 'same',
})

/** Every condition, in both dialects. */
export function failureRows(dialect: Dialect): readonly FailureRow[] {
  return [...PROVIDER, unavailableImage(dialect), ...REQUEST, ...PAYMENT, ...MONEY]
}

/** Conditions that need another configuration, or a part of the stack that stands still: walked by the tests of the strict stack. */
export const STRICT_FAILURES = {
  rate_limited: { ...later(429, 'rate_limited', 5), retryAfterS: 'some' },
  exposure_limit: later(429, 'exposure_limit', 10),
  refused_by_policy: no(400, 'refused_by_policy'),
  safety_unavailable: later(503, 'safety_unavailable', 10),
  overloaded: later(503, 'overloaded', 5),
  dependency_unavailable: later(503, 'dependency_unavailable', 5),
  deadline_passed: later(503, 'deadline_passed', 2),
  job_unreadable: no(503, 'job_unreadable'),
  idempotency_in_progress: { ...later(409, 'idempotency_in_progress', 5), charged: 'unknown' },
  settlement_pending: { ...later(503, 'settlement_pending', 2), charged: 'unknown' },
} as const satisfies Partial<Record<Code, Failure>>

/** Codes that no paid text request meets today, each with its reason. */
export const NOT_ON_A_PAID_REQUEST = {
  not_found: 'a paid address is there',
  method_not_allowed: 'a payment travels by POST; tested with the addresses',
  receipt_not_found: 'GET /v1/receipts/{id} only',
  receipt_token_required: 'GET /v1/receipts/{id} only',
  content_blocked: 'for images; a text that a filter stops is a 200 with its own finish reason, and charged',
  media_not_found: 'GET /v1/media/{capability} only',
  media_expired: 'GET /v1/media/{capability} only',
  range_not_satisfiable: 'GET /v1/media/{capability} only',
  invalid_audio: 'for transcriptions only',
  invalid_multipart: 'for transcriptions only',
  audio_too_large: 'for transcriptions only',
  audio_too_long: 'for transcriptions only',
  audio_too_short: 'for transcriptions only',
  balance_unavailable: 'GET /v1/balance only',
  malformed_http: 'for what is no HTTP request at all; the hostile clients send it',
  request_timeout: 'for what never arrives whole; tested where it is refused',
  internal_error: 'a defect by definition; the hostile clients look for it',
} as const satisfies Partial<Record<Code, string>>

function header(name: string, value: string | undefined) {
  return (request: WireRequest): WireRequest => {
    if (value === undefined) return without(request, name)
    request.headers.set(name, value)
    return request
  }
}

function without(request: WireRequest, name: string): WireRequest {
  request.headers.delete(name)
  return request
}

function body(write: () => string) {
  return ({ headers }: WireRequest): WireRequest => ({ headers, body: write() })
}

function changed(members: Record<string, unknown>) {
  return (request: WireRequest): WireRequest => ({
    ...request,
    body: JSON.stringify({ ...(JSON.parse(request.body) as object), ...members }),
  })
}

function payment(make: (sent: string, attempt: Attempt) => string | Promise<string>) {
  return async (request: WireRequest, attempt: Attempt): Promise<WireRequest> => {
    request.headers.set('payment-signature', await make(request.headers.get('payment-signature') ?? '', attempt))
    return request
  }
}

function inSeconds(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds)
}

/** ERC-6492: factory, its calldata and a signature, behind the magic suffix. */
function undeployedWalletSignature(): `0x${string}` {
  const word = (hex: string) => hex.padStart(64, '0')
  const empty = word('0')
  return `0x${word('11'.repeat(20))}${word('60')}${word('80')}${empty}${word('41')}${'22'.repeat(65).padEnd(192, '0')}${'6492'.repeat(16)}`
}
