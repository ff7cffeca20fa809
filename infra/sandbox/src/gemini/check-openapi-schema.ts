import { isRecord } from './json-schema.ts'

/** What the decoded OpenAPI subset of `parameters` and `responseSchema` is refused for, each as `<path>: <problem>`. */
export function findOpenApiSchemaProblems(schema: Record<string, unknown>, path: string): string[] {
  const problems: string[] = []
  check(schema, path, problems)
  return problems
}

const stringFormats = new Set(['enum', 'date-time'])
const numberFormats = new Set(['float', 'double', 'int32', 'int64'])

function check(schema: Record<string, unknown>, path: string, problems: string[]): void {
  const { type, format } = schema
  if (type === undefined && schema.anyOf === undefined) problems.push(`${path}.type: must be specified`)
  if (Array.isArray(schema.enum)) {
    if (type !== 'STRING') problems.push(`${path}.enum: only allowed for STRING type`)
    for (const [index, value] of schema.enum.entries()) if (value === '') problems.push(`${path}.enum[${index}]: cannot be empty`)
  }
  if (typeof format === 'string' && type === 'STRING' && !stringFormats.has(format))
    problems.push(`${path}.format: only 'enum' and 'date-time' are supported for STRING type`)
  if (typeof format === 'string' && (type === 'NUMBER' || type === 'INTEGER') && !numberFormats.has(format))
    problems.push(`${path}.format: only 'float', 'double', 'int32' and 'int64' are supported for ${type} type`)
  if (type === 'ARRAY' && schema.items === undefined) problems.push(`${path}.items: missing field.`)
  if (type !== 'ARRAY' && schema.items !== undefined) problems.push(`${path}.items: field predicate failed: $type == Type.ARRAY`)
  if (type === 'OBJECT') checkObject(schema, path, problems)
  else if (schema.properties !== undefined) problems.push(`${path}.properties: only allowed for OBJECT type`)
  if (isRecord(schema.items)) check(schema.items, `${path}.items`, problems)
  for (const [index, branch] of (Array.isArray(schema.anyOf) ? schema.anyOf : []).entries())
    if (isRecord(branch)) check(branch, `${path}.any_of[${index}]`, problems)
}

function checkObject(schema: Record<string, unknown>, path: string, problems: string[]): void {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  if (Object.keys(properties).length === 0) problems.push(`${path}.properties: should be non-empty for OBJECT type`)
  for (const [index, name] of (Array.isArray(schema.required) ? schema.required : []).entries())
    if (typeof name !== 'string' || !Object.hasOwn(properties, name))
      problems.push(`${path}.required[${index}]: property is not defined`)
  for (const [name, child] of Object.entries(properties))
    if (isRecord(child)) check(child, `${path}.properties[${name}]`, problems)
}
