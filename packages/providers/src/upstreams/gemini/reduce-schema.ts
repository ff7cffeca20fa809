import type { JsonSchema } from '../../text/text-request.ts'

// The wire answers 400 to keywords outside its subset, so a client's schema is reduced to what it takes instead of refused for a
// `$schema` or a `const` that every generator writes.

const PARAMETER_KEYWORDS = ['$ref', '$defs', 'type', 'format', 'description', 'properties', 'items', 'enum', 'anyOf', 'required']
const RESPONSE_KEYWORDS = [
  ...PARAMETER_KEYWORDS,
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
/** Deeper than any schema that a person wrote; bounds the recursion on one that nobody did. */
const MAX_DEPTH = 64

export function reduceParameters(schema: JsonSchema | undefined): JsonSchema {
  if (schema === undefined || Object.keys(schema).length === 0) return { type: 'object', properties: {} }
  const reduced = reduce(schema, PARAMETER_KEYWORDS, 0)
  return reduced.type === 'object' && reduced.properties === undefined ? { ...reduced, properties: {} } : reduced
}

export function reduceResponseSchema(schema: JsonSchema): JsonSchema {
  return reduce(schema, RESPONSE_KEYWORDS, 0)
}

function reduce(schema: JsonSchema, allowed: readonly string[], depth: number): JsonSchema {
  if (depth > MAX_DEPTH) return {}
  const kept: JsonSchema = {}
  for (const [keyword, value] of Object.entries(normalise(schema, allowed))) {
    if (!allowed.includes(keyword)) continue
    kept[keyword] = reduceValue(keyword, value, allowed, depth)
  }
  return nullable(kept)
}

function reduceValue(keyword: string, value: unknown, allowed: readonly string[], depth: number): unknown {
  switch (keyword) {
    case 'properties':
    case '$defs':
      return isSchema(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [name, isSchema(inner) ? reduce(inner, allowed, depth + 1) : {}]),
          )
        : {}
    case 'items':
    case 'additionalProperties':
      return isSchema(value) ? reduce(value, allowed, depth + 1) : value
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return Array.isArray(value) ? value.map((inner) => (isSchema(inner) ? reduce(inner, allowed, depth + 1) : {})) : value
    default:
      return value
  }
}

/** Older or richer spellings of what the subset can say. */
function normalise(schema: JsonSchema, allowed: readonly string[]): JsonSchema {
  const { const: constant, definitions, oneOf, ...rest } = schema
  return {
    ...rest,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(definitions === undefined || rest.$defs !== undefined ? {} : { $defs: definitions }),
    ...(oneOf === undefined ? {} : allowed.includes('oneOf') || rest.anyOf !== undefined ? { oneOf } : { anyOf: oneOf }),
    ...(typeof rest.$ref === 'string' ? { $ref: rest.$ref.replace(/^#\/definitions\//, '#/$defs/') } : {}),
  }
}

/** `type: [T, "null"]` becomes an anyOf whose first branch keeps everything that the schema said about T. */
function nullable(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.type)) return schema
  const { type: _type, description, $defs, ...rest } = schema
  const types = schema.type as unknown[]
  return {
    ...(description === undefined ? {} : { description }),
    ...($defs === undefined ? {} : { $defs }),
    anyOf: types.map((type) => (type === 'null' ? { type } : { ...rest, type })),
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
