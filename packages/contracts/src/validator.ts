import { Ajv, type ErrorObject } from 'ajv'
import type { Static, TSchema } from 'typebox'

export type { TSchema }

export type SchemaProblem = { path: string; keyword: string; message: string; missing?: string; params: Record<string, unknown> }
export type Validated<T> = { ok: true; value: T } | { ok: false; problems: SchemaProblem[] }

// Stops at the first problem. Listing all of them would let a stranger's body of 20 MiB, one defect every two bytes, become gigabytes.
const shape = new Ajv({ strict: true, allowUnionTypes: true, coerceTypes: false, useDefaults: false, ownProperties: true })
const presence = new Ajv({ strict: false, ownProperties: true })

/**
 * Compiles a schema once, at start. The returned function never changes its input. The first problem of a refused value is a field
 * that is missing, wherever in the value, if there is one: it takes a look of its own, because validation stops at what comes first.
 */
export function compile<S extends TSchema>(schema: S): (value: unknown) => Validated<Static<S>> {
  const validate = shape.compile(schema)
  const complete = presence.compile(requiredOnly(schema))
  return (value) => {
    if (validate(value)) return { ok: true, value: value as Static<S> }
    const missing = complete(value) ? [] : (complete.errors ?? [])
    return { ok: false, problems: [...missing, ...(validate.errors ?? [])].map(problemOf) }
  }
}

/**
 * What a schema says about presence alone. Alternatives (anyOf) are left out: which one is incomplete, nobody can say. A condition
 * (if, then) stays: it says which one it is.
 */
function requiredOnly(schema: TSchema): Record<string, unknown> {
  const { required, properties, items, allOf, if: condition, [THEN]: consequence } = schema as SchemaParts
  const reduced: Record<string, unknown> = {}
  if (required !== undefined) reduced.required = required
  if (items !== undefined) reduced.items = requiredOnly(items)
  if (properties !== undefined) {
    reduced.properties = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, requiredOnly(field)]))
  }
  if (allOf !== undefined) reduced.allOf = allOf.map(requiredOnly)
  if (condition !== undefined && consequence !== undefined) {
    Object.assign(reduced, { if: condition, [THEN]: requiredOnly(consequence) })
  }
  return reduced
}

// Where it is spelled out, a linter takes the schema for a promise.
const THEN = 'then'

type SchemaParts = {
  required?: unknown
  properties?: Record<string, TSchema>
  items?: TSchema
  allOf?: TSchema[]
  if?: TSchema
  [THEN]?: TSchema
}

function problemOf(error: ErrorObject): SchemaProblem {
  // The members of a record are named by whoever filled it: a problem names the record, not what a stranger wrote.
  const isMember = error.schemaPath.includes('/patternProperties/')
  const path = dotted(isMember ? error.instancePath.replace(/\/[^/]*$/, '') : error.instancePath)
  const params = error.params as Record<string, unknown>
  const problem: SchemaProblem = { path, keyword: error.keyword, message: error.message ?? 'is invalid', params }
  if (error.keyword === 'required') {
    const missing = String(params.missingProperty)
    return { ...problem, path: path === '' ? missing : `${path}.${missing}`, missing, message: 'is required' }
  }
  if (error.keyword === 'additionalProperties') {
    const extra = String(params.additionalProperty)
    return { ...problem, path: path === '' ? extra : `${path}.${extra}`, message: 'is not a field of this request' }
  }
  if (error.keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return { ...problem, message: `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}` }
  }
  if (error.keyword === 'const') return { ...problem, message: `must be ${JSON.stringify(params.allowedValue)}` }
  return problem
}

/** "/messages/0/content" as callers write it: "messages[0].content". */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '')
}
