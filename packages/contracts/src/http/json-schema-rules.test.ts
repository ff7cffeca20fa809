import { describe, expect, it } from 'vitest'
import type { JsonObject } from './effective-json.ts'
import { jsonSchemaProblem, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, parametersProblem, schemaBudget } from './json-schema-rules.ts'
import { flattenAllOf, resolvePointer } from './json-schema-shape.ts'

const problemOf = (schema: unknown) => jsonSchemaProblem(schema, schemaBudget())
const inProperty = (schema: unknown) => ({ type: 'object', properties: { a: schema } })

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level += 1) schema = { type: 'array', items: schema }
  return schema
}

describe('a schema is taken', () => {
  it.each<[string, JsonObject]>([
    ['empty', {}],
    [
      'as a generator writes it',
      { $schema: 'x', $id: 'y', title: 'T', type: 'object', properties: {}, additionalProperties: false },
    ],
    ['with what only narrows', inProperty({ type: 'string', pattern: '(a+)+$', minLength: 1, maxLength: 3, uniqueItems: true })],
    ['with words of its own', { type: 'object', 'x-order': [1], errorMessage: {} }],
    ['that takes anything', inProperty(true)],
    ['of a tree', { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } }, required: ['kids'] }],
    ['of an optional chain', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'of a nullable chain',
      { type: 'object', properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }, required: ['next'] },
    ],
    ['with a reference into it', { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } }],
    ['with an escaped reference', { $defs: { 'a/b c': {} }, properties: { b: { $ref: '#/$defs/a~1b%20c' } } }],
    [
      'with notes beside a reference',
      { $defs: { a: {} }, properties: { b: { $ref: '#/$defs/a', description: 'B', default: 1 } } },
    ],
    ['with one reference in allOf', { $defs: { a: {} }, properties: { b: { allOf: [{ $ref: '#/$defs/a' }], title: 'B' } } }],
    ['of a closed tuple', { type: 'array', prefixItems: [{ type: 'string' }], items: false }],
    ['of a tuple as it was written once', { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }],
    ['with properties named like keywords', { type: 'object', properties: { not: {}, $ref: { type: 'string' }, if: true } }],
    ['as deep as is allowed', nested(MAX_SCHEMA_DEPTH)],
  ])('%s', (_what, schema) => expect(problemOf(schema)).toBeUndefined())
})

describe('a schema is refused', () => {
  it.each<[string, unknown, string]>([
    ['that is no object', 'x', 'must be an object'],
    ['that is a list', [], 'must be an object'],
    ['with a member that is no schema', inProperty(5), 'not an object'],
    ['that allows nothing', inProperty(false), 'allows nothing'],
    ['with not', inProperty({ not: { type: 'string' } }), '"not"'],
    ['with if', { if: {} }, '"if"'],
    ['with dependent schemas', { dependentSchemas: {} }, '"dependentSchemas"'],
    ['of an unknown type', { type: 'date' }, '"type"'],
    ['of no type', { type: [] }, '"type"'],
    ['with a description of the wrong type', { description: {} }, '"description"'],
    ['with required of the wrong type', { required: true }, '"required"'],
    ['with a bound of the wrong type', { minimum: '1' }, '"minimum"'],
    ['with a count below zero', { minItems: -1 }, '"minItems"'],
    ['with an empty enum', { enum: [] }, '"enum"'],
    ['with an object in an enum', { enum: [{}] }, '"enum"'],
    ['with an empty anyOf', { anyOf: [] }, '"anyOf"'],
    ['with properties of the wrong type', { properties: [] }, '"properties"'],
    ['with a reference to nowhere', inProperty({ $ref: '#/$defs/a' }), '"$ref"'],
    ['with a reference to what is inherited', inProperty({ $ref: '#/constructor' }), '"$ref"'],
    ['with a reference to an address', inProperty({ $ref: 'https://example.com/schema.json' }), '"$ref"'],
    ['with a reference to a file', inProperty({ $ref: 'file:///etc/passwd' }), '"$ref"'],
    ['with a reference to what is no schema', inProperty({ $ref: '#/properties' }), '"$ref"'],
    ['with a reference to words of its own', { 'x-a': nested(50), properties: { a: { $ref: '#/x-a' } } }, '"$ref"'],
    ['with a broken escape', inProperty({ $ref: '#/%' }), '"$ref"'],
    ['with a shape beside a reference', { $defs: { a: {} }, properties: { b: { $ref: '#/$defs/a', type: 'object' } } }, 'beside'],
    ['with members of allOf that contradict', { allOf: [{ type: 'string' }, { type: 'number' }] }, '"allOf"'],
    ['with members of allOf that name one property', { allOf: [inProperty({}), inProperty({})] }, '"allOf"'],
    ['with a reference among others in allOf', { $defs: { a: {} }, allOf: [{ $ref: '#/$defs/a' }, inProperty({})] }, '"allOf"'],
    ['that requires itself', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }, 'no end'],
    [
      'that requires itself in a circle',
      {
        $defs: {
          a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } }, required: ['b'] },
          b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] },
        },
        properties: { a: { $ref: '#/$defs/a' } },
      },
      'no end',
    ],
    ['whose references name each other', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 'no end'],
    ['that is too deep', nested(MAX_SCHEMA_DEPTH + 1), 'deeper'],
    ['that is far too deep', nested(5_000), 'deeper'],
    ['deep in allOf', { allOf: [{ allOf: [nested(50)] }] }, 'deeper'],
    ['that is too large', { anyOf: Array.from({ length: MAX_SCHEMA_NODES }, () => ({})) }, 'more than'],
  ])('%s', (_what, schema, message) => expect(problemOf(schema)?.message).toContain(message))

  it('together with others when all of them are too much', () => {
    const half = { anyOf: Array.from({ length: MAX_SCHEMA_NODES / 2 }, () => ({})) }
    const budget = schemaBudget()
    expect(jsonSchemaProblem(half, budget)).toBeUndefined()
    expect(jsonSchemaProblem(half, budget)).toMatchObject({ code: 'unsupported_value' })
  })

  it('without a word of what the client wrote', () => {
    const secret = 'a-secret'
    for (const schema of [
      { type: secret },
      { properties: { [secret]: { not: {} } } },
      { $ref: `#/${secret}` },
      { required: { secret } },
    ]) {
      expect(problemOf(schema)?.message).not.toContain(secret)
    }
  })
})

it('the parameters of a tool are those of an object', () => {
  for (const schema of [{}, { type: 'object' }, { properties: {} }]) {
    expect(parametersProblem(schema, schemaBudget())).toBeUndefined()
  }
  for (const schema of [{ type: 'string' }, { type: ['object', 'null'] }, []]) {
    expect(parametersProblem(schema, schemaBudget())).toMatchObject({ code: 'invalid_value' })
  }
})

it('a long chain of references is followed in linear time and without recursion', () => {
  const $defs: JsonObject = { d0: { type: 'string' } }
  for (let at = 1; at < 4_000; at += 1) {
    $defs[`d${at}`] = {
      type: 'object',
      properties: { a: { $ref: `#/$defs/d${at - 1}` }, b: { $ref: `#/$defs/d${at - 1}` } },
      required: ['a', 'b'],
    }
  }
  expect(jsonSchemaProblem({ $defs }, { nodesLeft: 20_000 })).toBeUndefined()
})

describe('allOf', () => {
  it('of objects with different properties is one object', () => {
    expect(
      flattenAllOf({
        description: 'Both',
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'number' } }, required: ['b'], description: 'Mine' },
        ],
      }),
    ).toEqual({
      type: 'object',
      description: 'Both',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    })
  })

  it('of one reference is the reference', () => {
    expect(flattenAllOf({ allOf: [{ $ref: '#/$defs/a' }], description: 'A' })).toEqual({ $ref: '#/$defs/a', description: 'A' })
  })

  it.each<[string, JsonObject[]]>([
    ['properties', Array.from({ length: 9_000 }, (_, index) => ({ properties: { [`p${index}`]: true } }))],
    [
      'required names',
      [
        { required: Array.from({ length: 20_000 }, (_, index) => index.toString(36)) },
        ...Array.from({ length: 5_000 }, () => ({ required: ['a'] })),
      ],
    ],
    ['notes', Array.from({ length: 9_000 }, (_, index) => ({ [`x-${index}`]: 1 }))],
  ])('of many %s takes no longer than they are many', (_what, allOf) => {
    // Processor time, and the least of three: a machine that is busy with something else says nothing about the rule.
    const ms = [1, 2, 3].map(() => {
      const before = process.threadCpuUsage()
      expect(problemOf({ type: 'object', allOf })).toBeUndefined()
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1_000
    })
    expect(Math.min(...ms)).toBeLessThan(2_000)
  })

  it('keeps what is named like the prototype', () => {
    const allOf = ['{"properties":{"__proto__":{"type":"string"}}}', '{"__proto__":1,"properties":{"b":true}}']
    const flat = flattenAllOf({ allOf: allOf.map((text) => JSON.parse(text)) })
    expect(JSON.stringify(flat)).toBe('{"properties":{"__proto__":{"type":"string"},"b":true},"__proto__":1}')
  })

  it('of deep members ends', () => {
    let schema: JsonObject = {}
    for (let level = 0; level < 5_000; level += 1) schema = { allOf: [schema] }
    expect(flattenAllOf(schema)).toBeUndefined()
  })
})

it('a pointer finds its own members only', () => {
  const root = { $defs: { 'a/b': { type: 'string' } }, anyOf: [{ type: 'number' }] }
  expect(resolvePointer(root, '#')).toBe(root)
  expect(resolvePointer(root, '#/$defs/a~1b')).toBe(root.$defs['a/b'])
  expect(resolvePointer(root, '#/anyOf/0')).toBe(root.anyOf[0])
  expect(resolvePointer(root, '#/anyOf/length')).toBeUndefined()
  expect(resolvePointer(root, '#/__proto__')).toBeUndefined()
  expect(resolvePointer(root, '#a')).toBeUndefined()
})
