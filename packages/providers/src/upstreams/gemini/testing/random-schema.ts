export type Random = () => number

/** The same numbers for the same seed: a failure can be had again. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
type Writing = { random: Random; references: readonly string[] }
const NAMES = ['port', 'height', 'not', '$ref', 'const', 'type', '__proto__', 'a/b~c', 'ü', '']
const DEFINED = ['Tide', 'Moon', 'a b', 'x/y']

/** A schema as somebody might write one: most of it is sense, some of it is what the wire refuses. */
export function randomSchema(random: Random): Record<string, unknown> {
  const container = pick(random, ['$defs', 'definitions'])
  const references = ['Tide', 'Moon', 'a%20b', 'x~1y'].map((name) => `#/${container}/${name}`)
  const write = { random, references: ['#', ...references] }
  const defined = Object.fromEntries(DEFINED.map((name) => [name, schema(write, 2)]))
  const properties = named(write, 0)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    ...(random() < 0.5 ? { required: some(random, Object.keys(properties)) } : {}),
    ...(random() < 0.5 ? { additionalProperties: false } : {}),
    [container]: defined,
  }
}

function named(write: Writing, depth: number): Record<string, unknown> {
  return Object.fromEntries(some(write.random, NAMES).map((name) => [name, schema(write, depth + 1)]))
}

function some<T>(random: Random, from: readonly T[]): T[] {
  return from.filter(() => random() < 0.4)
}

function schema(write: Writing, depth: number): unknown {
  const { random } = write
  const notes = {
    ...(random() < 0.3 ? { description: 'Words' } : {}),
    ...(random() < 0.1 ? { title: 'T', default: null, examples: [{}], deprecated: true } : {}),
    ...(random() < 0.1 ? { nullable: true } : {}),
  }
  const kind = random()
  if (kind < 0.05) return true
  if (kind < 0.2 || depth > 4) return { ...notes, ...scalar(random) }
  if (kind < 0.35) {
    const at = random() < 0.02 ? '#/properties/port' : pick(random, write.references)
    return { ...notes, $ref: at }
  }
  if (kind < 0.45) return { ...notes, [pick(random, ['anyOf', 'oneOf'])]: [schema(write, depth + 1), scalar(random)] }
  if (kind < 0.5) return { ...notes, allOf: [schema(write, depth + 1), ...(random() < 0.5 ? [object(write, depth)] : [])] }
  if (kind < 0.6)
    return {
      ...notes,
      type: pick(random, ['array', ['array', 'null']]),
      items: schema(write, depth + 1),
      minItems: 0,
      uniqueItems: true,
    }
  if (kind < 0.65)
    return {
      ...notes,
      type: 'array',
      prefixItems: [schema(write, depth + 1), scalar(random)],
      items: pick(random, [false, true, scalar(random)]),
    }
  if (kind < 0.75) return { ...notes, type: 'object', additionalProperties: schema(write, depth + 1) }
  return { ...notes, ...object(write, depth) }
}

function object(write: Writing, depth: number): Record<string, unknown> {
  const { random } = write
  const properties = named(write, depth)
  return {
    type: pick(random, ['object', 'object', ['object', 'null'], ['object', 'string', 'number']]),
    properties,
    required: some(random, [...Object.keys(properties), 'other']),
  }
}

function scalar(random: Random): Record<string, unknown> {
  return pick<Record<string, unknown>>(random, [
    { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
    { type: 'string', format: 'date-time' },
    { type: ['string', 'null'] },
    { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 9 },
    { type: 'number', multipleOf: 0.5, maximum: 4 },
    { type: 'boolean' },
    { type: 'null' },
    { const: 'tide' },
    { const: true },
    { const: null },
    { enum: ['a', 'b', null] },
    { type: ['string', 'null'], enum: ['a', null] },
    { type: 'integer', enum: [1, 2] },
    { enum: [1, 'a', false] },
    {},
  ])
}

/** A value that has a chance to satisfy the schema: names and words that it uses, whatever the shape. */
export function randomValue(random: Random, depth = 0): unknown {
  const kind = random()
  if (kind < 0.5 && depth < 4) {
    return Object.fromEntries(some(random, NAMES).map((name) => [name, randomValue(random, depth + 1)]))
  }
  if (kind < 0.6 && depth < 4) return Array.from({ length: Math.floor(random() * 3) }, () => randomValue(random, depth + 1))
  return pick<unknown>(random, ['a', 'b', 'tide', 'moon', '', null, true, false, 0, 1, 2, 3.5, 9])
}
