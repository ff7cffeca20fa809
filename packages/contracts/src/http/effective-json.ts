export type JsonObject = { [member: string]: unknown }

/** Fields that no API defines, or that say nothing to a model: kept, because they take part in the fingerprint. */
export type Extra = { [field: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
