import { isJsonObject, type JsonObject } from './effective-json.ts'
import { flattenAllOf, resolvePointer } from './json-schema-shape.ts'

// What a client's JSON Schema (tool parameters, a response format) may say. Nothing here compiles a schema or runs a pattern of a
// stranger: the walk is bounded in depth and nodes, and every reference is followed at most once.

/** Deeper than what people and generators write. The translation may add two levels to each, and the upstream takes 64 in all. */
export const MAX_SCHEMA_DEPTH = 20
/** Over all schemas of one request. */
export const MAX_SCHEMA_NODES = 10_000

/** Shared by all schemas of one request, so that many cannot do what one may not. */
export type SchemaBudget = { nodesLeft: number }
export const schemaBudget = (): SchemaBudget => ({ nodesLeft: MAX_SCHEMA_NODES })

/** `message` continues the name of the field: "must be an object". It never repeats what the client wrote. */
export type SchemaRefusal = { code: 'invalid_value' | 'unsupported_value'; message: string }

/**
 * These say which of several shapes a value has. No upstream takes them, and without them the model would be told something else,
 * so they are refused. Everything else that is not translated only narrows a value (pattern, minLength, uniqueItems, ...) or
 * annotates it, so that every answer that would have been right still is: it is left out on the wire.
 */
const REFUSED_KEYWORDS = [
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
  '$dynamicRef',
  '$recursiveRef',
] as const
const TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
/** Beside a $ref they would have to be combined with what it names. */
const SHAPES = [
  'type',
  'properties',
  'required',
  'items',
  'prefixItems',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'additionalProperties',
]

type Walk = { root: JsonObject; budget: SchemaBudget; visited: Set<object>; references: JsonObject[] }

const malformed = (message: string): SchemaRefusal => ({ code: 'invalid_value', message })
const unsupported = (message: string): SchemaRefusal => ({ code: 'unsupported_value', message })

/** The parameters of a tool: a schema of an object. Pure; undefined when there is nothing to refuse. */
export function parametersProblem(schema: unknown, budget: SchemaBudget): SchemaRefusal | undefined {
  if (isJsonObject(schema) && schema.type !== undefined && schema.type !== 'object') {
    return malformed('must be a schema of type "object"')
  }
  return jsonSchemaProblem(schema, budget)
}

/** Any schema, as a response format has it. Pure; undefined when there is nothing to refuse. */
export function jsonSchemaProblem(schema: unknown, budget: SchemaBudget): SchemaRefusal | undefined {
  if (!isJsonObject(schema)) return malformed('must be an object')
  const walk: Walk = { root: schema, budget, visited: new Set(), references: [] }
  return check(walk, schema, 0) ?? referenceProblem(walk) ?? endlessProblem(walk)
}

function check(walk: Walk, schema: unknown, depth: number, isMerged = false): SchemaRefusal | undefined {
  if (schema === true) return undefined
  if (schema === false) return unsupported('holds a schema that allows nothing')
  if (!isJsonObject(schema)) return malformed('holds a schema that is not an object')
  if (depth > MAX_SCHEMA_DEPTH) return unsupported(`is nested deeper than ${MAX_SCHEMA_DEPTH} levels`)
  walk.budget.nodesLeft -= 1
  if (walk.budget.nodesLeft < 0) return unsupported(`holds more than ${MAX_SCHEMA_NODES} schemas, all of the request counted`)
  // A member of allOf is merged into its parent: it is no place of its own that a reference could name.
  if (!isMerged) walk.visited.add(schema)
  return keywordProblem(schema) ?? checkReference(walk, schema) ?? checkInner(walk, schema, depth + 1)
}

function keywordProblem(schema: JsonObject): SchemaRefusal | undefined {
  const refused = REFUSED_KEYWORDS.find((keyword) => schema[keyword] !== undefined)
  if (refused !== undefined) return unsupported(`uses ${JSON.stringify(refused)}, which is not supported in a schema`)
  const { type } = schema
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
  if ((Array.isArray(type) && type.length === 0) || types.some((name) => !TYPES.has(name))) {
    return malformed('holds a "type" that is none of JSON Schema')
  }
  for (const keyword of ['description', 'title', 'format', '$ref']) {
    if (schema[keyword] !== undefined && typeof schema[keyword] !== 'string')
      return malformed(`holds a "${keyword}" that is no string`)
  }
  for (const keyword of ['required', 'propertyOrdering']) {
    const names = schema[keyword]
    if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string'))) {
      return malformed(`holds a "${keyword}" that is no list of strings`)
    }
  }
  for (const keyword of ['minimum', 'maximum', 'minItems', 'maxItems']) {
    const bound = schema[keyword]
    const isBound = keyword.endsWith('Items') ? Number.isInteger(bound) && (bound as number) >= 0 : typeof bound === 'number'
    if (bound !== undefined && !isBound) return malformed(`holds a "${keyword}" that is no such number`)
  }
  if (schema.enum !== undefined && !(Array.isArray(schema.enum) && schema.enum.length > 0)) {
    return malformed('holds an "enum" that is no list of values')
  }
  const values = [...((schema.enum as unknown[] | undefined) ?? []), ...(schema.const === undefined ? [] : [schema.const])]
  if (values.some((value) => value !== null && typeof value === 'object')) {
    return unsupported('holds an "enum" or "const" with an object or array in it, which is not supported')
  }
  return undefined
}

function checkReference(walk: Walk, schema: JsonObject): SchemaRefusal | undefined {
  if (schema.$ref === undefined) return undefined
  const beside = SHAPES.find((keyword) => schema[keyword] !== undefined)
  if (beside !== undefined) return unsupported(`has ${JSON.stringify(beside)} beside a "$ref", which is not supported`)
  walk.references.push(schema)
  return undefined
}

function checkInner(walk: Walk, schema: JsonObject, depth: number): SchemaRefusal | undefined {
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = schema[keyword]
    if (named === undefined) continue
    if (!isJsonObject(named)) return malformed(`holds a "${keyword}" that is no object`)
    for (const inner of Object.values(named)) {
      const problem = check(walk, inner, depth)
      if (problem !== undefined) return problem
    }
  }
  for (const keyword of ['anyOf', 'oneOf', 'prefixItems', 'allOf']) {
    const listed = schema[keyword]
    if (listed === undefined) continue
    if (!Array.isArray(listed) || listed.length === 0) return malformed(`holds an empty "${keyword}", or one that is no list`)
    for (const inner of listed) {
      const problem = check(walk, inner, depth, keyword === 'allOf')
      if (problem !== undefined) return problem
    }
  }
  // A list is the older spelling of prefixItems; false beside prefixItems closes a tuple.
  const items = Array.isArray(schema.items) ? schema.items : [schema.items]
  for (const inner of items) {
    const closes = inner === false && schema.prefixItems !== undefined
    const problem = inner === undefined || closes ? undefined : check(walk, inner, depth)
    if (problem !== undefined) return problem
  }
  const { additionalProperties } = schema
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    const problem = check(walk, additionalProperties, depth)
    if (problem !== undefined) return problem
  }
  if (schema.allOf !== undefined && flattenAllOf(schema) === undefined) {
    return unsupported('holds an "allOf" whose members cannot be written as one schema, which is not supported')
  }
  return undefined
}

function referenceProblem(walk: Walk): SchemaRefusal | undefined {
  const leadsAstray = walk.references.some(({ $ref }) => {
    const target = resolvePointer(walk.root, $ref as string)
    return target === undefined || !walk.visited.has(target)
  })
  return leadsAstray ? unsupported('holds a "$ref" that names no schema inside it') : undefined
}

/** A schema that contains itself through required properties alone has no finite value, and the upstream refuses it. */
function endlessProblem({ root, visited }: Walk): SchemaRefusal | undefined {
  const state = new Map<object, 'open' | 'done'>()
  for (const start of visited) {
    const stack: { node: object; next: object[] }[] = []
    const enter = (node: object): void => {
      state.set(node, 'open')
      stack.push({ node, next: contained(root, node as JsonObject) })
    }
    if (state.get(start) === undefined) enter(start)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const inner = top.next.pop()
      if (inner === undefined) {
        state.set(top.node, 'done')
        stack.pop()
      } else if (state.get(inner) === 'open') return unsupported('contains itself through required properties and has no end')
      else if (state.get(inner) === undefined) enter(inner)
    }
  }
  return undefined
}

/** What every value of a schema contains. */
function contained(root: JsonObject, node: JsonObject): object[] {
  const schema = flattenAllOf(node) ?? node
  if (typeof schema.$ref === 'string') {
    const target = resolvePointer(root, schema.$ref)
    return target === undefined || schema.nullable === true ? [] : [target]
  }
  const { required, properties, type } = schema
  if (!Array.isArray(required) || !isJsonObject(properties) || (Array.isArray(type) && type.length > 1)) return []
  return required.flatMap((name: string) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    return isJsonObject(inner) ? [inner] : []
  })
}
