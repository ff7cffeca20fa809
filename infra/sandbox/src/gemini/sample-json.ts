import { isRecord, type JsonSchema, resolveReference } from './json-schema.ts'

/** A deterministic value that satisfies the schema; every optional property is filled too, except where it would recurse. */
export function sampleJson(schema: JsonSchema, name = 'value'): unknown {
  return sample({ root: schema, trail: [] }, schema, name)
}

interface Position {
  root: JsonSchema
  /** The references on the way here: one that repeats is recursion. */
  trail: readonly string[]
}

const maxSampledItems = 1_000
const maxOptionalDepth = 24
const maxReferenceDepth = 200

function sample(at: Position, schema: unknown, name: string): unknown {
  if (!isRecord(schema)) return name
  // Only a schema whose every branch leads back to itself gets here; it has no finite instance.
  if (at.trail.length > maxReferenceDepth) return null
  if (typeof schema.$ref === 'string') {
    const target = resolveReference(at.root, schema.$ref)
    return sample({ ...at, trail: [...at.trail, schema.$ref] }, target, name)
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : undefined
  if (branches) return sample(at, withBranch(schema, chooseBranch(at, branches)), name)
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(at, schema)
    case 'array':
      return sampleArray(at, schema, name)
    case 'integer':
      return sampleInteger(schema)
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return sampleString(schema, name)
  }
}

/** The first branch that is neither null nor a recursion. */
function chooseBranch(at: Position, branches: readonly unknown[]): JsonSchema {
  const records = branches.filter(isRecord)
  const fresh = records.filter((branch) => typeof branch.$ref !== 'string' || !at.trail.includes(branch.$ref))
  return fresh.find((branch) => branch.type !== 'null') ?? fresh[0] ?? records[0] ?? {}
}

/** A schema with `anyOf` beside other keywords must satisfy both. */
function withBranch(schema: JsonSchema, branch: JsonSchema): JsonSchema {
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
  if (Object.keys(rest).every((key) => key.startsWith('$') || key === 'title' || key === 'description' || key === 'nullable'))
    return branch
  const merged: JsonSchema = { ...rest, ...branch }
  if (isRecord(rest.properties) && isRecord(branch.properties)) merged.properties = { ...rest.properties, ...branch.properties }
  const required = [rest.required, branch.required].flatMap((names) => (Array.isArray(names) ? names : []))
  if (required.length > 0) merged.required = required
  return merged
}

function typeOf(schema: JsonSchema): unknown {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== 'null') ?? 'null'
  if (schema.type !== undefined) return schema.type
  if (isRecord(schema.properties) || Array.isArray(schema.required)) return 'object'
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
  return 'string'
}

function sampleObject(at: Position, schema: JsonSchema): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [])
  const sampled: Record<string, unknown> = {}
  for (const name of orderedNames(schema, properties)) {
    const child = properties[name]
    if (!required.has(name) && (leadsBack(at, child) || at.trail.length > maxOptionalDepth)) continue
    sampled[name] = sample(at, child, name)
  }
  for (const name of required) if (!Object.hasOwn(sampled, name)) sampled[name] = sample(at, schema.additionalProperties, name)
  return sampled
}

function orderedNames(schema: JsonSchema, properties: Record<string, unknown>): string[] {
  const names = Object.keys(properties)
  if (!Array.isArray(schema.propertyOrdering)) return names
  const first = schema.propertyOrdering.filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return [...new Set([...first, ...names])]
}

function leadsBack(at: Position, schema: unknown): boolean {
  if (!isRecord(schema)) return false
  if (typeof schema.$ref === 'string') return schema.$ref === '#' || at.trail.includes(schema.$ref)
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : []
  return branches.length > 0 && branches.every((branch) => leadsBack(at, branch))
}

function sampleArray(at: Position, schema: JsonSchema, name: string): unknown[] {
  const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
  const minimum = numberOr(schema.minItems, 0)
  const maximum = numberOr(schema.maxItems, maxSampledItems)
  const recursion = leadsBack(at, schema.items) || at.trail.length > maxOptionalDepth
  const wanted = Math.max(minimum, recursion ? 0 : Math.max(1, fixed.length))
  const length = Math.min(wanted, maximum, maxSampledItems)
  return Array.from({ length }, (_, index) => sample(at, fixed[index] ?? schema.items, name))
}

function sampleInteger(schema: JsonSchema): number {
  const minimum = Math.ceil(numberOr(schema.minimum, Number.NEGATIVE_INFINITY))
  const maximum = Math.floor(numberOr(schema.maximum, Number.POSITIVE_INFINITY))
  return Math.max(minimum, Math.min(maximum, 1))
}

function sampleNumber(schema: JsonSchema): number {
  return Math.max(
    numberOr(schema.minimum, Number.NEGATIVE_INFINITY),
    Math.min(numberOr(schema.maximum, Number.POSITIVE_INFINITY), 1.5),
  )
}

const formatted: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  time: '03:04:05Z',
  duration: 'P3D',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/value',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
}

function sampleString(schema: JsonSchema, name: string): string {
  const known = typeof schema.format === 'string' ? formatted[schema.format] : undefined
  if (known !== undefined) return known
  const minimum = Math.min(numberOr(schema.minLength, 0), 10_000)
  return name.padEnd(minimum, '.').slice(0, numberOr(schema.maxLength, Number.POSITIVE_INFINITY))
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}
