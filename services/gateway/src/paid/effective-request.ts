import type { Quote } from '@turnpike/admission'
import type { Catalog, PricedRequest } from '@turnpike/catalog'
import { keyHashOf, type PaidEndpoint } from '@turnpike/contracts'
import { type Payment, parsePaymentSignature } from '@turnpike/payments'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { isForm, takesJson } from '../http/content-type.ts'
import { JSON_LIMITS } from '../http/parse-json.ts'
import { type Answer, problem, withChargeUnknown } from './answer.ts'
import { type EffectiveBody, readJsonBody } from './effective-body.ts'
import type { HeldContent, RequestContent } from './held-content.ts'

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
  price: PricedRequest
  deadlineMs: number
  maxTimeoutSeconds: number
  payment: Payment | undefined
}

export type SignedRequest = EffectiveRequest & { payment: Payment; content: HeldContent }

/** What the ledger knows of the authorization that came along. */
export type AuthorizationRecord = { owner: { keyHash: string; fingerprint: string } | undefined; payerHasHistory: boolean }

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const MIN_TIMEOUT_SECONDS = 300
export const BUSY_RETRY_AFTER_S = 3
const SETTLEMENT_ALLOWANCE_SECONDS = 120

const TOO_COMPLEX = `The body is nested deeper than ${JSON_LIMITS.maxDepth} levels or holds more than ${JSON_LIMITS.maxValues} values.`

type Deps = { catalog: Catalog; providerTimeoutMs: number | undefined }
type JudgedEndpoint = Pick<PaidEndpointDefinition, 'path' | 'minimumPriceAtomic'> & { multipart?: object }

type ReadRequest = { ok: true; request: EffectiveRequest & RequestContent } | { ok: false; answer: Answer }

/** `judgeRequest` of a JSON body that is read here and now. */
export function readEffectiveRequest<Request extends { model: string }>(
  deps: Deps,
  endpoint: PaidEndpointDefinition<Request>,
  incoming: IncomingRequest,
): ReadRequest {
  return judgeRequest(deps, endpoint, incoming, () => readJsonBody(endpoint, incoming.body))
}

/**
 * The checks that need nothing but the request, in the order of the decisions: content type, body, key. Unsigned and
 * incomplete is an inspection challenge; with a payment every defect is a 400, and so it is in a form.
 */
export function judgeRequest(
  deps: Deps,
  endpoint: JudgedEndpoint,
  incoming: Omit<IncomingRequest, 'body'> & { body: { readonly length: number } },
  read: () => EffectiveBody,
): ReadRequest {
  if (!takesBody(endpoint, incoming.contentType, incoming.body.length === 0)) return refuse(problem('unsupported_media_type'))
  const signed = incoming.paymentSignature !== undefined
  const mustBeComplete = signed || (incoming.contentType !== undefined && isForm(incoming.contentType))

  const body = read()
  if (body.kind === 'client_busy') return refuse(clientBusy({ signed }))
  if (body.kind === 'too_complex') return refuse(problem('invalid_value', { param: 'body', message: TOO_COMPLEX }))
  if (body.kind === 'not_json') return refuse(signed ? problem('invalid_json') : inspection(endpoint))
  if (body.kind === 'problem') {
    const { problem: found } = body
    if (found.kind === 'invalid') return refuse(problem(found.code, { message: found.message, param: found.param }))
    return refuse(
      mustBeComplete
        ? problem('missing_required_field', { message: found.message, param: found.param })
        : inspection(endpoint, found.message),
    )
  }
  if (body.kind === 'unserved_model' || !deps.catalog.offers(body.model))
    return refuse(problem('model_not_available', { param: 'model' }))
  if (body.canonicalBody === undefined)
    return refuse(problem('invalid_value', { param: 'body', message: 'The body holds text or numbers that JSON cannot hold.' }))

  const { idempotencyKey } = incoming
  if (idempotencyKey === undefined || idempotencyKey === '') return refuse(problem('idempotency_key_required'))
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) return refuse(problem('idempotency_key_invalid'))

  const { quote } = body
  if (!quote.ok) {
    const message = `The request is estimated at ${quote.inputTokens} input tokens; the model takes ${quote.limit}.`
    return refuse(problem(quote.code, { param: 'messages', message }))
  }
  const payment = signed ? parsePaymentSignature(incoming.paymentSignature ?? '') : undefined
  if (payment !== undefined && !payment.ok) {
    return refuse(problem('payment_header_malformed', { message: `PAYMENT-SIGNATURE cannot be read (${payment.reason}).` }))
  }
  return {
    ok: true,
    request: {
      endpoint: endpoint.path,
      model: body.model,
      keyHash: keyHashOf(idempotencyKey),
      fingerprint: body.fingerprint,
      canonicalBody: body.canonicalBody,
      audio: body.audio,
      price: quote.price,
      deadlineMs: deps.providerTimeoutMs ?? body.providerDeadlineMs,
      maxTimeoutSeconds: maxTimeoutSeconds(body.providerDeadlineMs),
      payment: payment?.payment,
    },
  }
}

/** Comes back when some of what its client has waiting is read. Of a payment nobody has looked at, nobody knows what became. */
function clientBusy({ signed }: { signed: boolean }): Answer {
  const busy = problem('rate_limited', { retryAfterS: BUSY_RETRY_AFTER_S })
  return signed ? withChargeUnknown(busy) : busy
}

/** JSON, a form where the endpoint takes forms, or nothing at all. */
export function takesBody(endpoint: { multipart?: object }, contentType: string | undefined, isEmpty: boolean): boolean {
  return takesJson(contentType, isEmpty) || (endpoint.multipart !== undefined && contentType !== undefined && isForm(contentType))
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

function inspection(endpoint: Pick<PaidEndpointDefinition, 'minimumPriceAtomic'>, message?: string): Answer {
  const challenge = {
    type: 'inspection',
    amountAtomic: endpoint.minimumPriceAtomic(),
    maxTimeoutSeconds: MIN_TIMEOUT_SECONDS,
  } as const
  return { kind: 'challenge', challenge, reason: 'inspection', ...(message === undefined ? {} : { message }) }
}

function refuse(answer: Answer): { ok: false; answer: Answer } {
  return { ok: false, answer }
}
