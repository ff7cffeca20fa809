import { type PaidEndpoint, parseQuoteRequest, type RequestProblem } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { ENDPOINTS } from '../endpoints/paid-endpoints.ts'
import { JSON_LIMITS, parseJson } from '../http/parse-json.ts'
import { type EffectiveBody, effectiveOf } from '../paid/effective-body.ts'
import { transcriptionByDuration } from './transcription-by-duration.ts'

/** All that follows from the bytes of a request for a quote. Plain data: it may have been found out in another thread. */
export type QuoteBody =
  /** Nobody looked at it: too much of this client is waiting to be read. */
  | { kind: 'client_busy' }
  | { kind: 'not_json' }
  | { kind: 'too_complex' }
  | { kind: 'problem'; problem: RequestProblem }
  /** More than the endpoint itself takes. */
  | { kind: 'too_large' }
  /** What its endpoint makes of the request. Neither text nor audio is kept: nothing is going to run. */
  | { kind: 'read'; endpoint: PaidEndpoint; body: EffectiveBody }

/** What `{"endpoint": …, "request": …}` may take beyond the request itself. */
export const WRAPPING_BYTES = 1_024
/** The object around the request, and the values beside it. */
const LIMITS = { maxDepth: JSON_LIMITS.maxDepth + 1, maxValues: JSON_LIMITS.maxValues + 2 }

/** Parses and prices, as the endpoint itself would. Pure. */
export function readQuoteBody(bytes: Buffer): QuoteBody {
  const json = parseJson(bytes, LIMITS)
  if (!json.ok) return { kind: json.defect }
  const parsed = parseQuoteRequest(json.value)
  if (!parsed.ok) return { kind: 'problem', problem: parsed.problem }
  const { endpoint: path, request } = parsed.value
  const endpoint = ENDPOINTS.find((each) => each.path === path) as PaidEndpointDefinition
  if (bytes.length > endpoint.maxBytes + WRAPPING_BYTES) return { kind: 'too_large' }
  const body = transcriptionByDuration(path, request) ?? effectiveOf(endpoint, endpoint.parse(request))
  return { kind: 'read', endpoint: path, body: withoutContent(asComplete(body)) }
}

/** Nobody inspects a quote: what is missing is a defect like any other. */
function asComplete(body: EffectiveBody): EffectiveBody {
  if (body.kind !== 'problem' || body.problem.kind !== 'incomplete') return body
  return { kind: 'problem', problem: { ...body.problem, kind: 'invalid', code: 'missing_required_field' } }
}

function withoutContent(body: EffectiveBody): EffectiveBody {
  if (body.kind !== 'parsed' || body.canonicalBody === undefined) return body
  return { ...body, canonicalBody: '', audio: undefined }
}
