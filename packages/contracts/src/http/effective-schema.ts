// Words for the schemas of both text dialects. Optional members of OpenAI's and Anthropic's objects may be null where their own clients
// type them so; null says the same as absence.

type Schema = { [keyword: string]: unknown }

export const nullable = (type: string, rest: Schema = {}): Schema => ({ type: [type, 'null'], ...rest })

export const object = (required: Record<string, Schema>, optional: Record<string, Schema> = {}, rest: Schema = {}): Schema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  ...rest,
})

// Where it is spelled out, a linter takes the schema for a promise.
const THEN = 'then'

/** What more holds for an object whose `field` is `value`. */
export const when = (field: string, value: string, more: Schema): Schema => ({
  if: { type: 'object', required: [field], properties: { [field]: { const: value } } },
  [THEN]: more,
})

/** What more holds for an object whose `field` is absent or one of `values`. */
export const unlessOther = (field: string, values: (string | null)[], more: Schema): Schema => ({
  if: { type: 'object', properties: { [field]: { enum: values } } },
  [THEN]: more,
})

/** What more holds for an object that has `field` and is not like `exception`. */
export const unless = (field: string, exception: Schema, more: Schema): Schema => ({
  if: { ...object({ [field]: {} }), not: exception },
  [THEN]: more,
})

export const STRING: Schema = { type: 'string' }
export const STOP_LIMITS = { maxItems: 5, maxLength: 1_000 } as const
