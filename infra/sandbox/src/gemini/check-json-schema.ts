import { isRecord, type JsonSchema, resolveReference } from './json-schema.ts'

/** What `parametersJsonSchema` takes; `responseJsonSchema` takes more. */
const parameterKeywords = ['$ref', '$defs', 'type', 'format', 'description', 'properties', 'items', 'enum', 'anyOf', 'required']
const responseKeywords = [
  ...parameterKeywords,
  '$id',
  '$anchor',
  'title',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'oneOf',
  'additionalProperties',
  'propertyOrdering',
]
const keywordSets = { parameters: new Set(parameterKeywords), response: new Set(responseKeywords) }

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const maxDepth = 64

interface Walk {
  root: JsonSchema
  allowed: ReadonlySet<string>
}

/** The first thing that Gemini refuses in a JSON Schema, as `<path>: <problem>`, or undefined. */
export function findJsonSchemaProblem(schema: unknown, use: 'parameters' | 'response', path: string): string | undefined {
  if (!isRecord(schema)) return `${path}: schema must be an object`
  const walk: Walk = { root: schema, allowed: keywordSets[use] }
  return check(walk, schema, path, 0) ?? findRequiredCycle(schema, schema, path, [], 0)
}

function check(walk: Walk, schema: unknown, path: string, depth: number): string | undefined {
  if (!isRecord(schema)) return `${path}: schema must be an object`
  if (depth > maxDepth) return `${path}: A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.`
  for (const key of Object.keys(schema)) if (!walk.allowed.has(key)) return `${path}: unsupported keyword: ${key}`
  return checkReference(walk, schema, path) ?? checkKeywords(schema, path) ?? checkSubschemas(walk, schema, path, depth + 1)
}

function checkReference(walk: Walk, schema: JsonSchema, path: string): string | undefined {
  if (schema.$ref === undefined) return undefined
  if (typeof schema.$ref !== 'string' || !resolveReference(walk.root, schema.$ref))
    return `${path}.$ref: reference to undefined schema: ${JSON.stringify(schema.$ref)}`
  const sibling = Object.keys(schema).find((key) => !key.startsWith('$'))
  return sibling === undefined
    ? undefined
    : `${path}.$ref: $ref must not have siblings other than those that start with $, found: ${sibling}`
}

function checkKeywords(schema: JsonSchema, path: string): string | undefined {
  const types = schema.type === undefined ? [] : Array.isArray(schema.type) ? schema.type : [schema.type]
  for (const type of types)
    if (typeof type !== 'string' || !typeNames.has(type)) return `${path}.type: unknown type: ${JSON.stringify(type)}`
  if (Array.isArray(schema.type) && schema.type.length === 0) return `${path}.type: must not be empty`
  for (const key of ['format', 'description', 'title', '$id', '$anchor'])
    if (schema[key] !== undefined && typeof schema[key] !== 'string') return `${path}.${key}: must be a string`
  for (const key of ['required', 'propertyOrdering'])
    if (schema[key] !== undefined && !isStringArray(schema[key])) return `${path}.${key}: must be an array of strings`
  for (const key of ['minimum', 'maximum'])
    if (schema[key] !== undefined && typeof schema[key] !== 'number') return `${path}.${key}: must be a number`
  for (const key of ['minItems', 'maxItems']) {
    const limit = schema[key]
    if (limit !== undefined && !(typeof limit === 'number' && Number.isInteger(limit) && limit >= 0))
      return `${path}.${key}: must be a non-negative integer`
  }
  if (schema.enum === undefined) return undefined
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return `${path}.enum: must be a non-empty array`
  const odd = schema.enum.find((value) => typeof value !== 'string' && typeof value !== 'number')
  return odd === undefined ? undefined : `${path}.enum: only strings and numbers are supported`
}

function checkSubschemas(walk: Walk, schema: JsonSchema, path: string, depth: number): string | undefined {
  for (const key of ['properties', '$defs']) {
    const named = schema[key]
    if (named === undefined) continue
    if (!isRecord(named)) return `${path}.${key}: must be an object`
    for (const [name, child] of Object.entries(named)) {
      const problem = check(walk, child, `${path}.${key}.${name}`, depth)
      if (problem) return problem
    }
  }
  for (const key of ['anyOf', 'oneOf', 'prefixItems']) {
    const listed = schema[key]
    if (listed === undefined) continue
    if (!Array.isArray(listed) || listed.length === 0) return `${path}.${key}: must be a non-empty array`
    for (const [index, child] of listed.entries()) {
      const problem = check(walk, child, `${path}.${key}[${index}]`, depth)
      if (problem) return problem
    }
  }
  if (schema.items !== undefined) {
    const problem = check(walk, schema.items, `${path}.items`, depth)
    if (problem) return problem
  }
  if (schema.additionalProperties === undefined || typeof schema.additionalProperties === 'boolean') return undefined
  return check(walk, schema.additionalProperties, `${path}.additionalProperties`, depth)
}

/** A reference that leads back to itself through required properties only has no finite instance; the vendor refuses it. */
function findRequiredCycle(
  root: JsonSchema,
  schema: unknown,
  path: string,
  trail: readonly string[],
  depth: number,
): string | undefined {
  if (!isRecord(schema) || depth > maxDepth) return undefined
  if (typeof schema.$ref === 'string') {
    if (trail.includes(schema.$ref)) return `${path}: cyclic reference through required properties: ${schema.$ref}`
    return findRequiredCycle(root, resolveReference(root, schema.$ref), path, [...trail, schema.$ref], depth + 1)
  }
  const properties = isRecord(schema.properties) ? schema.properties : {}
  for (const name of isStringArray(schema.required) ? schema.required : []) {
    const problem = findRequiredCycle(root, properties[name], `${path}.properties.${name}`, trail, depth + 1)
    if (problem) return problem
  }
  return undefined
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string')
}
