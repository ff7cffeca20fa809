import type { JsonSchema } from '../../text/text-request.ts'

/**
 * A list of allowed values (enum, const). The wire's enum takes strings and numbers; null is a type of its own there, and true and
 * false can only be told apart from the rest, not from each other.
 */
export function writeValues(values: readonly unknown[], types: readonly string[] | undefined): JsonSchema {
  const words = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const named = (types ?? []).filter((type) => type !== 'null' && type !== 'boolean')
  const alternatives: JsonSchema[] = []
  if (words.length > 0) alternatives.push({ ...(named.length === 1 ? { type: named[0] } : {}), enum: [...new Set(words)] })
  if (values.some((value) => typeof value === 'boolean')) alternatives.push({ type: 'boolean' })
  if (values.includes(null) && (types === undefined || types.includes('null'))) alternatives.push({ type: 'null' })
  // Values that contradict their own type allow nothing: what they say is kept, and what the type says is not.
  if (alternatives.length === 0) return types === undefined ? {} : writeValues(values, undefined)
  return alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives }
}
