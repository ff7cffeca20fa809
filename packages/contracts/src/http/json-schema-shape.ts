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
 */
export function flattenAllOf(schema: JsonObject, depth = 0): JsonObject | undefined {
  const { allOf, ...own } = schema
  if (allOf === undefined) return schema
  if (!Array.isArray(allOf) || depth > 20) return undefined
  let merged: JsonObject | undefined = own
  for (const member of allOf as unknown[]) {
    if (member === true) continue
    const flat = isJsonObject(member) ? flattenAllOf(member, depth + 1) : undefined
    merged = flat === undefined || merged === undefined ? undefined : merge(merged, flat)
  }
  if (merged?.$ref === undefined) return merged
  const shaped = ['type', 'properties', 'required', ...SINGLE].some((key) => key !== '$ref' && merged[key] !== undefined)
  return shaped ? undefined : merged
}

function merge(left: JsonObject, right: JsonObject): JsonObject | undefined {
  // Of narrowing keywords and notes the first wins: none of them changes what a right answer is.
  const merged: JsonObject = { ...right, ...left }
  if (SINGLE.some((keyword) => left[keyword] !== undefined && right[keyword] !== undefined && left[keyword] !== right[keyword])) {
    return undefined
  }
  if (left.type !== undefined && right.type !== undefined && left.type !== right.type) return undefined
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const [first, second] = [left[keyword], right[keyword]]
    if (!isJsonObject(first) || !isJsonObject(second)) continue
    if (Object.keys(second).some((name) => Object.hasOwn(first, name))) return undefined
    merged[keyword] = Object.fromEntries([...Object.entries(first), ...Object.entries(second)])
  }
  if (Array.isArray(left.required) && Array.isArray(right.required)) {
    merged.required = [...new Set([...left.required, ...right.required])]
  }
  return merged
}
