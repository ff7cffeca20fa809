import type { PaidEndpoint } from '../models.ts'
import { compile } from '../validator.ts'
import { incomplete, invalid, type Parsed, problemFromSchema } from './request-problem.ts'
import { QuoteRequest } from './responses/service-responses.ts'

const validate = compile(QuoteRequest)
const FIELDS = Object.keys(QuoteRequest.properties)

/** Reads a parsed body of POST /v1/quote. What `request` holds is for its endpoint to judge. Pure. */
export function parseQuoteRequest(body: unknown): Parsed<{ endpoint: PaidEndpoint; request: unknown }> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  // By hand, before the schema: it would name a stranger's field at whatever length it has.
  if (Object.keys(body).some((name) => !FIELDS.includes(name))) {
    return invalid('body', 'A quote takes endpoint and request, nothing else.', 'unsupported_field')
  }
  const checked = validate(body)
  return checked.ok ? { ok: true, value: checked.value } : problemFromSchema(checked.problems)
}
