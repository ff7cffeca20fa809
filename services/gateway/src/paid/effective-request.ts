import type { Quote } from '@turnpike/admission'
import type { Catalog, PricedRequest } from '@turnpike/catalog'
import { canonical, keyHashOf, type PaidEndpoint, sha256Hex } from '@turnpike/contracts'
import { type Payment, parsePaymentSignature } from '@turnpike/payments'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { takesJson } from '../http/content-type.ts'
import { JSON_LIMITS, parseJson } from '../http/parse-json.ts'
import { type Answer, problem } from './answer.ts'

export type IncomingRequest = {
  contentType: string | undefined
  body: Buffer
  idempotencyKey: string | undefined
  paymentSignature: string | undefined
}

/** A complete, valid, priced request under a key. */
export type EffectiveRequest = {
  endpoint: PaidEndpoint
  model: string
  keyHash: string
  fingerprint: string
  /** RFC 8785 text of the effective body: what the worker gets. */
  canonicalBody: string
  price: PricedRequest
  deadlineMs: number
  maxTimeoutSeconds: number
  payment: Payment | undefined
}

export type SignedRequest = EffectiveRequest & { payment: Payment }

/** What the ledger knows of the authorization that came along. */
export type AuthorizationRecord = { owner: { keyHash: string; fingerprint: string } | undefined; payerHasHistory: boolean }

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const MIN_TIMEOUT_SECONDS = 300
const SETTLEMENT_ALLOWANCE_SECONDS = 120

const TOO_COMPLEX = `The body is nested deeper than ${JSON_LIMITS.maxDepth} levels or holds more than ${JSON_LIMITS.maxValues} values.`

type Deps = { catalog: Catalog; providerTimeoutMs: number | undefined }

/**
 * The checks that need nothing but the request, in the order of the decisions: content type, body, key. Unsigned and
 * incomplete is an inspection challenge; with a payment every defect is a 400.
 */
export function readEffectiveRequest<Request extends { model: string }>(
  deps: Deps,
  endpoint: PaidEndpointDefinition<Request>,
  incoming: IncomingRequest,
): { ok: true; request: EffectiveRequest } | { ok: false; answer: Answer } {
  if (!takesJson(incoming.contentType, incoming.body.length === 0)) return refuse(problem('unsupported_media_type'))
  const signed = incoming.paymentSignature !== undefined

  const json = parseJson(incoming.body)
  if (!json.ok && json.defect === 'too_complex') return refuse(problem('invalid_value', { param: 'body', message: TOO_COMPLEX }))
  if (!json.ok) return refuse(signed ? problem('invalid_json') : inspection(endpoint))
  const parsed = endpoint.parse(json.value)
  if (!parsed.ok) {
    const { problem: found } = parsed
    if (found.kind === 'invalid') return refuse(problem(found.code, { message: found.message, param: found.param }))
    return refuse(
      signed
        ? problem('missing_required_field', { message: found.message, param: found.param })
        : inspection(endpoint, found.message),
    )
  }
  const request = parsed.value
  if (!endpoint.serves(request.model) || !deps.catalog.offers(request.model))
    return refuse(problem('model_not_available', { param: 'model' }))

  const body = canonicalOf(request)
  if (body === undefined)
    return refuse(problem('invalid_value', { param: 'body', message: 'The body holds text or numbers that JSON cannot hold.' }))

  const { idempotencyKey } = incoming
  if (idempotencyKey === undefined || idempotencyKey === '') return refuse(problem('idempotency_key_required'))
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) return refuse(problem('idempotency_key_invalid'))

  const quote = endpoint.price(request)
  if (!quote.ok) {
    const message = `The request is estimated at ${quote.inputTokens} input tokens; the model takes ${quote.limit}.`
    return refuse(problem(quote.code, { param: 'messages', message }))
  }
  const payment = signed ? parsePaymentSignature(incoming.paymentSignature ?? '') : undefined
  if (payment !== undefined && !payment.ok) {
    return refuse(problem('payment_header_malformed', { message: `PAYMENT-SIGNATURE cannot be read (${payment.reason}).` }))
  }
  const deadlineMs = deps.providerTimeoutMs ?? endpoint.providerDeadlineMs(request)
  return {
    ok: true,
    request: {
      endpoint: endpoint.path,
      model: request.model,
      keyHash: keyHashOf(idempotencyKey),
      fingerprint: fingerprintOfCanonical(endpoint.path, body),
      canonicalBody: body,
      price: quote.price,
      deadlineMs,
      maxTimeoutSeconds: maxTimeoutSeconds(endpoint.providerDeadlineMs(request)),
      payment: payment?.payment,
    },
  }
}

/** The quote that holds: the bound one, unless the catalog has changed since. */
export function quoteOf(deps: { catalog: Pick<Catalog, 'version'> }, request: EffectiveRequest, bound?: Quote): Quote {
  if (bound?.catalogVersion === deps.catalog.version) return bound
  return { amountAtomic: request.price.amountAtomic, catalogVersion: deps.catalog.version }
}

/** The provider deadline plus 120 s, at least 300. */
export function maxTimeoutSeconds(deadlineMs: number): number {
  return Math.max(MIN_TIMEOUT_SECONDS, Math.ceil(deadlineMs / 1000) + SETTLEMENT_ALLOWANCE_SECONDS)
}

/** `fingerprintOf(endpoint, body)` for a body that is canonical text already: RFC 8785 sorts "body" before "endpoint". */
function fingerprintOfCanonical(endpoint: string, canonicalBody: string): string {
  return sha256Hex(`{"body":${canonicalBody},"endpoint":${JSON.stringify(endpoint)}}`)
}

function canonicalOf(value: unknown): string | undefined {
  try {
    return canonical(value)
  } catch {
    return undefined // a lone surrogate, or a number beyond all numbers
  }
}

function inspection(endpoint: { minimumPriceAtomic: bigint }, message?: string): Answer {
  const challenge = {
    type: 'inspection',
    amountAtomic: endpoint.minimumPriceAtomic,
    maxTimeoutSeconds: MIN_TIMEOUT_SECONDS,
  } as const
  return { kind: 'challenge', challenge, reason: 'inspection', ...(message === undefined ? {} : { message }) }
}

function refuse(answer: Answer): { ok: false; answer: Answer } {
  return { ok: false, answer }
}
