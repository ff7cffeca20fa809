import { isJsonObject, type JsonObject } from './effective-json.ts'

// A schema as parsed from JSON: no object in it is shared, so identity stands for the place.

/** "#", or a JSON pointer into the same document. Other references (an address, an anchor) are not followed: undefined. */
export function resolvePointer(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#' || reference === '#/') return root
  if (!reference.startsWith('#/')) return undefined
  let current: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = decoded(step)
    if (key === undefined || current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return isJsonObject(current) ? current : undefined
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

/** Keywords of which a schema can hold one only: two members that both have one cannot be written as one schema. */
const SINGLE = ['$ref', 'items', 'prefixItems', 'enum', 'const', 'anyOf', 'oneOf', 'additionalProperties', 'nullable']

/**
 * A schema without its allOf: the members and what stands beside them as one. Objects are put together when they name different
 * properties; a member that is a $ref stays one when nothing but notes stand beside it. undefined where that would lose something.
 * Linear: each member is put into what was gathered, which is never copied for it.
 */
export function flattenAllOf(schema: JsonObject, depth = 0): JsonObject | undefined {
  const { allOf, ...own } = schema
  if (allOf === undefined) return schema
  if (!Array.isArray(allOf) || depth > 20) return undefined
  const gathered: Gathered = { keywords: new Map(Object.entries(own)), named: new Map(), required: undefined }
  for (const member of allOf as unknown[]) {
    if (member === true) continue
    const flat = isJsonObject(member) ? flattenAllOf(member, depth + 1) : undefined
    if (flat === undefined || !gather(gathered, flat)) return undefined
  }
  const merged = schemaOf(gathered)
  if (merged.$ref === undefined) return merged
  const shaped = ['type', 'properties', 'required', ...SINGLE].some((key) => key !== '$ref' && merged[key] !== undefined)
  return shaped ? undefined : merged
}

/** `named` and `required` hold what several members have, in place of the values in `keywords`. */
type Gathered = {
  keywords: Map<string, unknown>
  named: Map<string, Map<string, unknown>>
  required: Set<unknown> | undefined
}

/** False where both cannot be written as one schema. */
function gather(gathered: Gathered, member: JsonObject): boolean {
  const { keywords } = gathered
  for (const keyword of [...SINGLE, 'type']) {
    const [left, right] = [keywords.get(keyword), member[keyword]]
    if (left !== undefined && right !== undefined && left !== right) return false
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const [left, right] = [keywords.get(keyword), member[keyword]]
    if (!isJsonObject(left) || !isJsonObject(right)) continue
    const named = gathered.named.get(keyword) ?? new Map(Object.entries(left))
    gathered.named.set(keyword, named)
    for (const [name, schema] of Object.entries(right)) {
      if (named.has(name)) return false
      named.set(name, schema)
    }
  }
  const [left, right] = [keywords.get('required'), member.required]
  if (Array.isArray(left) && Array.isArray(right)) {
    gathered.required ??= new Set(left)
    for (const name of right) gathered.required.add(name)
  }
  // Of narrowing keywords and notes the first wins: none of them changes what a right answer is.
  for (const [keyword, value] of Object.entries(member)) if (!keywords.has(keyword)) keywords.set(keyword, value)
  return true
}

function schemaOf({ keywords, named, required }: Gathered): JsonObject {
  for (const [keyword, schemas] of named) keywords.set(keyword, Object.fromEntries(schemas))
  if (required !== undefined) keywords.set('required', [...required])
  return Object.fromEntries(keywords)
}
