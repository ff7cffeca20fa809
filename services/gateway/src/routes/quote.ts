import type { ServerResponse } from 'node:http'
import { priceLines } from '@turnpike/catalog'
import { formatUsdc, type Problem } from '@turnpike/contracts'
import { paymentRequirements } from '@turnpike/payments'
import type { AppDeps } from '../app-deps.ts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { ENDPOINTS, PAID } from '../endpoints/paid-endpoints.ts'
import type { Call, Handler } from '../http/call.ts'
import { takesJson } from '../http/content-type.ts'
import { readBody } from '../http/read-body.ts'
import { sendAnswer, sendJson, sendProblem } from '../http/send-answer.ts'
import { BUSY_RETRY_AFTER_S, type EffectiveRequest, judgeRequest } from '../paid/effective-request.ts'
import { closedAnswer } from '../paid/serve-paid-request.ts'
import { type QuoteBody, WRAPPING_BYTES } from '../quotes/read-quote-body.ts'
import { faultOf, hasBody, refuse, refuseUnread } from './paid-route.ts'

type Deps = Pick<
  AppDeps,
  | 'catalog'
  | 'providerTimeoutMs'
  | 'gate'
  | 'closedModels'
  | 'bodies'
  | 'bodyReader'
  | 'metrics'
  | 'logger'
  | 'publicBaseUrl'
  | 'payTo'
  | 'receiptTokenKeys'
>

const MAX_BYTES = Math.max(...PAID.map(({ maxBytes }) => maxBytes)) + WRAPPING_BYTES
/** judgeRequest wants one; a quote has none, and nothing is looked up under it. */
const NO_KEY = 'quote'

/**
 * POST /v1/quote: the price of a request as its endpoint would ask for it, line by line. Binds, charges and calls nothing. Whatever the
 * endpoint would refuse is refused here in the same words; so is what cannot be served now, because a quote is asked for to buy.
 */
export function quoteRoute(deps: Deps): Handler {
  return async (request, response, call) => {
    const contentType = request.headers['content-type']
    const isEncoded = request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity'
    if (isEncoded || !takesJson(contentType, !hasBody(request))) return refuse(deps, response, call, 'unsupported_media_type')
    const read = await readBody(request, { maxBytes: MAX_BYTES, client: call.client ?? '', room: deps.bodies })
    if (read.kind === 'aborted') return
    if (read.kind !== 'body') return refuseUnread(deps, response, call, read, false)
    response.once('close', read.giveBack)
    const log = deps.logger.child({ requestId: call.requestId })
    try {
      // Only a body that another thread reads is waited for.
      const body = deps.bodyReader.readQuote(read.take(), { client: call.client ?? '' })
      answer(deps, response, call, body instanceof Promise ? await body : body)
    } catch (error) {
      sendAnswer(deps, response, call, faultOf({ log }, error))
    }
  }
}

function answer(deps: Deps, response: ServerResponse, call: Call, body: QuoteBody): void {
  const refused = (problem: Problem) => {
    deps.metrics.refused(problem.code, false)
    sendProblem(deps, response, call, problem)
  }
  switch (body.kind) {
    case 'client_busy':
      return refused({ code: 'rate_limited', retryAfterS: BUSY_RETRY_AFTER_S })
    case 'not_json':
      return refused({ code: 'invalid_json', message: 'The body is not valid JSON.' })
    case 'too_complex':
      return refused({ code: 'invalid_value', param: 'body', message: 'The body is nested too deep or holds too many values.' })
    case 'too_large':
      return refused({ code: 'payload_too_large' })
    case 'problem': {
      const { problem } = body
      const code = problem.kind === 'incomplete' ? 'missing_required_field' : problem.code
      return refused({ code, param: problem.param, message: problem.message })
    }
    case 'read': {
      const endpoint = ENDPOINTS.find(({ path }) => path === body.endpoint) as PaidEndpointDefinition
      if (!deps.catalog.offersEndpoint(endpoint.path)) {
        return refused({ code: 'invalid_value', param: 'endpoint', message: `${endpoint.path} is not offered here.` })
      }
      const incoming = {
        contentType: 'application/json',
        idempotencyKey: NO_KEY,
        paymentSignature: undefined,
        body: { length: 1 },
      }
      const judged = judgeRequest(deps, endpoint, incoming, () => body.body)
      if (!judged.ok) return sendRefusal(deps, response, call, judged.answer)
      const closed = closedAnswer(deps, judged.request)
      if (closed !== undefined) return sendRefusal(deps, response, call, closed)
      sendQuote(deps, response, call, judged.request)
    }
  }
}

function sendRefusal(deps: Deps, response: ServerResponse, call: Call, refusal: Parameters<typeof sendAnswer>[3]): void {
  if (refusal.kind === 'problem') deps.metrics.refused(refusal.problem.code, false)
  sendAnswer(deps, response, call, refusal)
}

function sendQuote(deps: Deps, response: ServerResponse, call: Call, request: EffectiveRequest): void {
  const { endpoint, model, price, maxTimeoutSeconds } = request
  const { amountAtomic } = price
  const quote = {
    object: 'quote',
    endpoint,
    model,
    price: {
      amount: formatUsdc(amountAtomic),
      amount_atomic: amountAtomic.toString(),
      currency: 'USDC',
      lines: priceLines(price),
    },
    payment_requirements: paymentRequirements({ amountAtomic, payTo: deps.payTo, maxTimeoutSeconds }),
    catalog_version: deps.catalog.version,
  }
  sendJson(response, call, quote, { headers: { 'X-Catalog-Version': deps.catalog.version, 'cache-control': 'no-store' } })
}
