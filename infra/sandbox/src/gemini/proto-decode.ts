import type { FieldViolation } from './wire-error.ts'

/**
 * The JSON mapping of protocol buffers as Google's endpoint applies it: camelCase and snake_case names, numbers as strings,
 * enums without regard to case, one element for a list; unknown names and wrong types are violations, all reported at once.
 */
export type Kind =
  | { kind: 'string' | 'bool' | 'float' | 'int32' | 'int64' | 'bytes' | 'value' | 'struct' }
  | { kind: 'enum'; typeName: string; values: readonly string[] }
  | { kind: 'list'; of: Kind }
  | { kind: 'map'; of: Kind }
  | { kind: 'message'; message: () => Message }

export interface Message {
  typeName: string
  fields: Readonly<Record<string, Kind>>
  /** Groups of which at most one field may be set. */
  oneofs?: Readonly<Record<string, readonly string[]>>
}

/** Only a self-nesting message can have a path this long; the real wire stops at a depth of 100. */
const maxPathCharacters = 2_000

export function decodeMessage(
  message: Message,
  value: unknown,
  path: string,
  violations: FieldViolation[],
): Record<string, unknown> {
  if (path.length > maxPathCharacters) {
    violations.push({
      description: 'Invalid JSON payload received. Message too deep. Max recursion depth reached for this message.',
    })
    return {}
  }
  if (!isRecord(value)) {
    violations.push(invalidValue(path, fullTypeName(message.typeName), value))
    return {}
  }
  const decoded: Record<string, unknown> = {}
  for (const [key, raw] of Object.entries(value)) {
    const name = camelCase(key)
    const kind = Object.hasOwn(message.fields, name) ? message.fields[name] : undefined
    if (!kind) violations.push(unknownName(key, path, 'Cannot find field.'))
    // null is an absent field, except where null itself is a value.
    else if (raw === null && kind.kind !== 'value') continue
    else if (Object.hasOwn(decoded, name))
      violations.push(unknownName(key, path, 'Proto field is not repeating, cannot be set twice.'))
    else if (Array.isArray(raw) && !['list', 'value'].includes(kind.kind))
      violations.push(unknownName(key, path, 'Proto field is not repeating, cannot start list.'))
    else decoded[name] = decodeKind(kind, raw, join(path, snakeCase(name)), violations)
  }
  for (const [oneof, names] of Object.entries(message.oneofs ?? {})) {
    const [, second] = names.filter((name) => Object.hasOwn(decoded, name))
    if (second !== undefined)
      violations.push({
        field: path,
        description: `Invalid value at '${path}' (oneof), oneof field '${oneof}' is already set. Cannot set '${second}'`,
      })
  }
  return decoded
}

function decodeKind(kind: Kind, value: unknown, path: string, violations: FieldViolation[]): unknown {
  switch (kind.kind) {
    case 'message':
      return decodeMessage(kind.message(), value, path, violations)
    case 'list':
      if (!Array.isArray(value)) return [decodeKind(kind.of, value, path, violations)]
      return value.map((element: unknown, index) => decodeKind(kind.of, element, `${path}[${index}]`, violations))
    case 'map':
      return decodeMap(kind.of, value, path, violations)
    case 'value':
      return value
    case 'struct':
      if (isRecord(value)) return value
      violations.push(invalidValue(path, 'type.googleapis.com/google.protobuf.Struct', value))
      return {}
    case 'enum': {
      const found = typeof value === 'string' ? kind.values.find((name) => name === value.toUpperCase()) : undefined
      if (found !== undefined) return found
      violations.push(invalidValue(path, fullTypeName(kind.typeName), value))
      return kind.values[0]
    }
    default:
      return decodeScalar(kind.kind, value, path, violations)
  }
}

function decodeMap(of: Kind, value: unknown, path: string, violations: FieldViolation[]): Record<string, unknown> {
  if (!isRecord(value)) {
    violations.push(invalidValue(path, 'Map', value))
    return {}
  }
  const decoded: Record<string, unknown> = {}
  for (const [index, [key, element]] of Object.entries(value).entries())
    decoded[key] = decodeKind(of, element, `${path}[${index}].value`, violations)
  return decoded
}

const int32Range = 2 ** 31
/** Standard and URL-safe alphabets, with or without padding, as protocol buffers accept them. */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/

function decodeScalar(
  kind: 'string' | 'bool' | 'float' | 'int32' | 'int64' | 'bytes',
  value: unknown,
  path: string,
  violations: FieldViolation[],
): unknown {
  const refuse = (): undefined => {
    violations.push(invalidValue(path, `TYPE_${kind.toUpperCase()}`, value))
    return undefined
  }
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? value : refuse()
    case 'bool':
      return typeof value === 'boolean' ? value : refuse()
    case 'bytes': {
      if (typeof value !== 'string') return refuse()
      if (base64.test(value) && value.replace(/=+$/, '').length % 4 !== 1) return value
      violations.push({
        field: path,
        description: `Invalid value at '${path}' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(value.slice(0, 64))}`,
      })
      return undefined
    }
  }
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return refuse()
  if (kind === 'float') return number
  if (!Number.isInteger(number)) return refuse()
  if (kind === 'int32' && (number < -int32Range || number >= int32Range)) return refuse()
  return number
}

function unknownName(key: string, path: string, problem: string): FieldViolation {
  if (path === '') return { description: `Invalid JSON payload received. Unknown name "${key}": ${problem}` }
  return { field: path, description: `Invalid JSON payload received. Unknown name "${key}" at '${path}': ${problem}` }
}

function invalidValue(path: string, typeName: string, value: unknown): FieldViolation {
  const shown = isRecord(value) || Array.isArray(value) ? 'Starting an object on a scalar field' : JSON.stringify(value)
  return { field: path, description: `Invalid value at '${path}' (${typeName}), ${shown}` }
}

function fullTypeName(name: string): string {
  return `type.googleapis.com/google.ai.generativelanguage.v1beta.${name}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function camelCase(name: string): string {
  return name.includes('_') ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
