import { flattenAllOf, isJsonObject, resolvePointer } from '@turnpike/contracts'
import type { JsonSchema } from '../../text/text-request.ts'
import { writeValues } from './schema-values.ts'

// The wire answers 400 to keywords outside its subset, so a client's schema is written in what it takes. What has no translation here
// either annotates ($schema, title of a parameter, default, examples, ...) or only narrows a value (pattern, minLength, maxLength,
// multipleOf, uniqueItems, exclusiveMinimum, patternProperties, propertyNames, contains, dependentRequired, and in parameters also
// minItems, minimum, additionalProperties, ...): without it every answer that was right still is. What would say something else when
// left out (not, if, an allOf that is no one schema, a reference to elsewhere) was refused by the gateway: `jsonSchemaProblem`.

const COMMON = ['description', 'format', 'required'] as const
const RESPONSE_ONLY = ['title', 'minItems', 'maxItems', 'minimum', 'maximum', 'propertyOrdering'] as const
/** Deeper than the gateway lets anything through: an end for the recursion, whoever calls. */
const MAX_DEPTH = 64

export function reduceParameters(schema: JsonSchema | undefined): JsonSchema {
  const reduced = reduceDocument(schema ?? {}, 'parameters')
  const isObject = reduced.type === 'object' || (reduced.type === undefined && reduced.anyOf === undefined)
  return isObject ? { type: 'object', properties: {}, ...reduced } : reduced
}

export function reduceResponseSchema(schema: JsonSchema): JsonSchema {
  return reduceDocument(schema, 'response')
}

/**
 * Whatever a reference names moves to `$defs`, and every place that held it becomes a reference: the size stays that of the original
 * however the references cross. Definitions that nobody names are left out.
 */
type Document = {
  use: 'parameters' | 'response'
  original: JsonSchema
  /** The schema that the document comes to: where its root is nothing but a reference, what that names. */
  root: JsonSchema
  /** Every schema that some reference names, with the last step of the pointer. */
  targets: Map<object, string>
  definitions: Map<object, { name: string; written?: JsonSchema }>
  names: Set<string>
}

function reduceDocument(original: JsonSchema, use: Document['use']): JsonSchema {
  const targets = new Map<object, string>()
  findTargets(original, original, targets, 0)
  const document: Document = { use, original, root: rootOf(original), targets, definitions: new Map(), names: new Set() }
  const reduced = writeSchema(document, document.root, 0)
  // Grows while it is walked: definitions name further ones.
  for (const [target, definition] of document.definitions) definition.written = writeSchema(document, target as JsonSchema, 1)
  if (document.definitions.size === 0) return reduced
  const $defs = Object.fromEntries([...document.definitions.values()].map(({ name, written }) => [name, written]))
  return { ...reduced, $defs }
}

function rootOf(original: JsonSchema): JsonSchema {
  const seen = new Set<object>()
  let root = original
  while (typeof root.$ref === 'string' && !seen.has(root)) {
    seen.add(root)
    root = resolvePointer(original, root.$ref) ?? {}
  }
  return root
}

function findTargets(root: JsonSchema, schema: unknown, targets: Map<object, string>, depth: number): void {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return
  if (typeof schema.$ref === 'string') {
    const target = resolvePointer(root, schema.$ref)
    if (target !== undefined) targets.set(target, schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1))
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const named = schema[keyword]
    if (isJsonObject(named)) for (const inner of Object.values(named)) findTargets(root, inner, targets, depth + 1)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'additionalProperties']) {
    const held = schema[keyword]
    for (const inner of Array.isArray(held) ? held : [held]) findTargets(root, inner, targets, depth + 1)
  }
}

/** A schema at its place: itself, or the reference to where it went. */
function place(document: Document, schema: unknown, depth: number): JsonSchema {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return {}
  return document.targets.has(schema) || schema === document.root
    ? referenceTo(document, schema)
    : writeSchema(document, schema, depth)
}

function referenceTo(document: Document, target: JsonSchema): JsonSchema {
  if (target === document.root || target === document.original) return { $ref: '#' }
  const known = document.definitions.get(target)
  if (known !== undefined) return { $ref: `#/$defs/${known.name}` }
  const { names } = document
  let name = document.targets.get(target) ?? ''
  for (let count = names.size; !/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name) || names.has(name); ) name = `schema_${++count}`
  names.add(name)
  document.definitions.set(target, { name })
  return { $ref: `#/$defs/${name}` }
}

function writeSchema(document: Document, original: JsonSchema, depth: number): JsonSchema {
  const { allOf: _unmerged, ...unmerged } = original
  const schema = flattenAllOf(original) ?? unmerged
  const notes = typeof schema.description === 'string' ? { description: schema.description } : {}
  if (typeof schema.$ref === 'string') {
    const target = resolvePointer(document.original, schema.$ref)
    const reference = target === undefined ? {} : referenceTo(document, target)
    // The wire takes nothing beside a reference.
    if (schema.nullable === true) return { ...notes, anyOf: [reference, { type: 'null' }] }
    return notes.description === undefined ? reference : { ...notes, anyOf: [reference] }
  }
  const types = typesOf(schema)
  const values = valuesOf(schema)
  if (values !== undefined) return { ...notes, ...writeValues(values, types) }

  const written = writeKeywords(document, schema, depth + 1)
  if (types === undefined) return written
  const [type, ...others] = types.filter((name) => name !== 'null')
  if (types.length === 1) return { ...written, type: types[0] }
  // A list of several types stays one, and so does any beside alternatives. Written out it would be longer than what was priced.
  if (others.length > 0 || written.anyOf !== undefined) return { ...written, type: types }
  const { description: _said, ...shape } = written
  return { ...notes, anyOf: [{ ...shape, type }, { type: 'null' }] }
}

function writeKeywords(document: Document, schema: JsonSchema, depth: number): JsonSchema {
  const written: JsonSchema = {}
  const isResponse = document.use === 'response'
  for (const keyword of [...COMMON, ...(isResponse ? RESPONSE_ONLY : [])]) {
    if (schema[keyword] !== undefined) written[keyword] = schema[keyword]
  }
  const { properties, anyOf, oneOf, additionalProperties } = schema
  if (isJsonObject(properties)) {
    written.properties = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, place(document, inner, depth)]),
    )
    // The wire refuses to require a property that is not described.
    if (Array.isArray(schema.required)) {
      written.required = [...new Set(schema.required as string[])].filter((name) => Object.hasOwn(properties, name))
    }
  }
  // oneOf counts on all that its members say; without what is left out here a right answer could be two of them at once.
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) written.anyOf = alternatives.map((inner) => place(document, inner, depth))
  if (isResponse && additionalProperties !== undefined) {
    written.additionalProperties =
      typeof additionalProperties === 'boolean' ? additionalProperties : place(document, additionalProperties, depth)
  }
  return { ...written, ...writeItems(document, schema, depth) }
}

/** A tuple has a spelling in a response only; in parameters it is a list of any of its members, and ends with them as people mean it. */
function writeItems(document: Document, schema: JsonSchema, depth: number): JsonSchema {
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  const members = Array.isArray(tuple) ? tuple.map((inner) => place(document, inner, depth + 1)) : []
  if (members.length === 0) return isJsonObject(rest) ? { items: place(document, rest, depth) } : {}
  const others = isJsonObject(rest) ? [place(document, rest, depth + 1)] : []
  if (document.use === 'parameters') return { items: rest === true ? {} : { anyOf: [...members, ...others] } }
  const closed = rest === false && schema.maxItems === undefined ? { maxItems: members.length } : {}
  return { prefixItems: members, ...(others.length === 0 ? {} : { items: others[0] }), ...closed }
}

/** Undefined where nothing is said; `nullable` is an older word for one more type. */
function typesOf(schema: JsonSchema): string[] | undefined {
  if (schema.type === undefined) return undefined
  const types = new Set((Array.isArray(schema.type) ? schema.type : [schema.type]) as string[])
  if (schema.nullable === true) types.add('null')
  return [...types]
}

function valuesOf(schema: JsonSchema): unknown[] | undefined {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (!Array.isArray(values)) return undefined
  return schema.nullable === true ? [...values, null] : values
}
