import type { ErrorCode } from '../errors.ts'
import type { SchemaProblem } from '../validator.ts'

/**
 * What is wrong with a body: `incomplete` (a required field is missing: an unsigned request gets the inspection challenge) or
 * `invalid` (a complete semantic error: always a 400).
 */
export type RequestProblem =
  | { kind: 'incomplete'; param: string; message: string }
  | { kind: 'invalid'; code: ErrorCode; param: string; message: string }

export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: RequestProblem }

export function invalid(
  param: string,
  message: string,
  code: ErrorCode = 'invalid_value',
): { ok: false; problem: RequestProblem } {
  return { ok: false, problem: { kind: 'invalid', code, param, message } }
}

export function incomplete(param: string): { ok: false; problem: RequestProblem } {
  return { ok: false, problem: { kind: 'incomplete', param, message: `${param} is required.` } }
}

/** A missing required field outweighs whatever else is wrong: the body is not complete enough to be judged. */
export function problemFromSchema(problems: SchemaProblem[]): { ok: false; problem: RequestProblem } {
  const missing = problems.find((problem) => problem.missing !== undefined)
  if (missing !== undefined) return incomplete(missing.path)
  const [first] = problems
  const param = first === undefined || first.path === '' ? 'body' : first.path.slice(0, MAX_NAME_LENGTH)
  const code = first?.keyword === 'additionalProperties' ? 'unsupported_field' : 'invalid_value'
  return invalid(param, `${param} ${first?.message ?? 'is invalid'}.`, code)
}

/** The name of a field that is not ours is as long as a stranger makes it. */
const MAX_NAME_LENGTH = 200
