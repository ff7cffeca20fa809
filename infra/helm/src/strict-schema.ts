export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Words that say nothing about what is allowed, or that JSON Schema does not know. */
const LEFT_OUT = new Set(['description', 'default', 'example', 'externalDocs', 'x-kubernetes-group-version-kind'])
const INT_OR_STRING: JsonObject = { type: ['integer', 'string'] }

/**
 * A schema of Kubernetes (OpenAPI 2 or the openAPIV3Schema of a custom resource) as a JSON schema that refuses fields it does not know, as an API
 * server does under strict validation. References to `#/definitions/` stay; `onReference` hears of each.
 */
export function strictSchema(schema: Json, onReference: (name: string) => void = () => {}): Json {
  if (Array.isArray(schema)) return schema.map((item) => strictSchema(item, onReference))
  if (schema === null || typeof schema !== 'object') return schema
  if (typeof schema.$ref === 'string') {
    onReference(schema.$ref.replace('#/definitions/', ''))
    return { $ref: schema.$ref }
  }
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return INT_OR_STRING
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
  const entries = Object.entries(schema)
    .filter(([word]) => !LEFT_OUT.has(word) && !word.startsWith('x-kubernetes-'))
    .map(([word, value]) => [word, word === 'properties' ? eachProperty(value, onReference) : strictSchema(value, onReference)])
  const strict: JsonObject = Object.fromEntries(entries)
  const isClosed = 'properties' in strict && !('additionalProperties' in strict) && !isOpen
  return { ...strict, ...(isClosed ? { additionalProperties: false } : {}) }
}

/** A field may be called `description`. */
function eachProperty(properties: Json, onReference: (name: string) => void): Json {
  if (properties === null || typeof properties !== 'object' || Array.isArray(properties)) return {}
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strictSchema(value, onReference)]))
}
