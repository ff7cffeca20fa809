export type JsonSchema = Record<string, unknown>

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `#`, a JSON pointer (`#/$defs/Node`), an anchor (`#node`) or an `$id`. */
export function resolveReference(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (reference === '#') return root
  if (reference.startsWith('#/')) {
    let current: unknown = root
    for (const step of reference.slice(2).split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(current)) current = current[Number(key)]
      else if (isRecord(current) && Object.hasOwn(current, key)) current = current[key]
      else return undefined
    }
    return isRecord(current) ? current : undefined
  }
  const definitions = isRecord(root.$defs) ? Object.values(root.$defs) : []
  return definitions
    .filter(isRecord)
    .find((schema) => (reference.startsWith('#') ? schema.$anchor === reference.slice(1) : schema.$id === reference))
}

/** An OpenAPI-subset schema (decoded `parameters` or `responseSchema`) in JSON Schema's words, so that one sampler serves both. */
export function fromOpenApiSubset(schema: Record<string, unknown>): JsonSchema {
  const converted: JsonSchema = { ...schema }
  if (typeof schema.type === 'string') converted.type = schema.type.toLowerCase()
  if (isRecord(schema.items)) converted.items = fromOpenApiSubset(schema.items)
  if (Array.isArray(schema.anyOf)) converted.anyOf = schema.anyOf.filter(isRecord).map(fromOpenApiSubset)
  if (isRecord(schema.properties))
    converted.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, isRecord(child) ? fromOpenApiSubset(child) : child]),
    )
  return converted
}
