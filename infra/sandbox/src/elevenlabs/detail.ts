import { randomBytes } from 'node:crypto'
import { jsonReply, type Reply } from '../reply.ts'

/** One problem in the vendor's own shape; `status` repeats `code` for older clients. */
export interface Problem {
  httpStatus: number
  type: string
  code: string
  message: string
  param?: string
}

/** One entry of a FastAPI validation answer. */
export interface FieldProblem {
  type: string
  loc: (string | number)[]
  msg: string
  input: unknown
  ctx?: Record<string, unknown>
}

export function newRequestId(): string {
  return randomBytes(16).toString('hex')
}

export function problemReply({ httpStatus, type, code, message, param }: Problem): Reply {
  const requestId = newRequestId()
  const detail = { type, code, message, status: code, request_id: requestId, ...(param === undefined ? {} : { param }) }
  return json(httpStatus, { detail }, requestId)
}

export function validationReply(detail: readonly FieldProblem[]): Reply {
  return json(422, { detail }, newRequestId())
}

/** The framework's own words: `{"detail": "Not Found"}`. */
export function plainReply(httpStatus: number, detail: string): Reply {
  return json(httpStatus, { detail }, newRequestId())
}

export function json(status: number, value: unknown, requestId: string): Reply {
  return jsonReply(status, value, { 'content-type': 'application/json', 'request-id': requestId })
}

export function invalidParameter(param: string, message: string): Problem {
  return { httpStatus: 400, type: 'validation_error', code: 'invalid_parameters', message, param }
}

export function contentRefused(): Problem {
  return {
    httpStatus: 403,
    type: 'authorization_error',
    code: 'content_against_policy',
    message: 'The content of this request goes against our policies, so it cannot be processed.',
  }
}

export function missingField(place: 'body' | 'query', name: string): FieldProblem {
  return { type: 'missing', loc: [place, name], msg: 'Field required', input: null }
}

export function notOneOf(place: 'body' | 'query', name: string, allowed: readonly string[], input: unknown): FieldProblem {
  const quoted = allowed.map((value) => `'${value}'`)
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return { type: 'literal_error', loc: [place, name], msg: `Input should be ${expected}`, input, ctx: { expected } }
}

export function outOfRange(
  place: 'body' | 'query',
  name: string,
  range: { minimum: number; maximum: number },
  input: number,
): FieldProblem | undefined {
  if (input < range.minimum)
    return {
      type: 'greater_than_equal',
      loc: [place, name],
      msg: `Input should be greater than or equal to ${range.minimum}`,
      input,
      ctx: { ge: range.minimum },
    }
  if (input > range.maximum)
    return {
      type: 'less_than_equal',
      loc: [place, name],
      msg: `Input should be less than or equal to ${range.maximum}`,
      input,
      ctx: { le: range.maximum },
    }
  return undefined
}
