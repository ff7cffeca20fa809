import { describe, expect, it } from 'vitest'
import { reduceParameters, reduceResponseSchema } from './reduce-schema.ts'

describe('a schema for the wire', () => {
  it('loses what the wire refuses and keeps the rest at every depth', () => {
    expect(
      reduceParameters({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        additionalProperties: false,
        properties: {
          port: { type: 'string', minLength: 1, description: 'A port' },
          list: { type: 'array', items: { type: 'integer', exclusiveMinimum: 0 } },
        },
        required: ['port'],
      }),
    ).toEqual({
      type: 'object',
      properties: { port: { type: 'string', description: 'A port' }, list: { type: 'array', items: { type: 'integer' } } },
      required: ['port'],
    })
  })

  it('keeps properties that are named like keywords', () => {
    const schema = { type: 'object', properties: { const: { type: 'string' }, minLength: { type: 'integer' } } }
    expect(reduceParameters(schema)).toEqual(schema)
  })

  it('writes a constant as the only member of an enum', () => {
    expect(reduceParameters({ type: 'object', properties: { kind: { const: 'tide' } } })).toEqual({
      type: 'object',
      properties: { kind: { enum: ['tide'] } },
    })
  })

  it('keeps the properties of a nullable object', () => {
    expect(
      reduceResponseSchema({ type: ['object', 'null'], description: 'Where', properties: { port: { type: 'string' } } }),
    ).toEqual({
      description: 'Where',
      anyOf: [{ type: 'object', properties: { port: { type: 'string' } } }, { type: 'null' }],
    })
  })

  it('spells oneOf and definitions as the parameters take them', () => {
    expect(
      reduceParameters({
        type: 'object',
        definitions: { port: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
        properties: { port: { $ref: '#/definitions/port' } },
      }),
    ).toEqual({
      type: 'object',
      $defs: { port: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      properties: { port: { $ref: '#/$defs/port' } },
    })
  })

  it('keeps a list of several types, each once, and whatever is said about any of them', () => {
    const several = {
      type: ['object', 'array', 'integer', 'null', 'object'],
      description: 'Many things',
      properties: { a: {} },
      required: ['a'],
      items: { type: 'string' },
      minimum: 1,
    }
    expect(reduceResponseSchema(several)).toEqual({ ...several, type: ['object', 'array', 'integer', 'null'] })
  })

  it('is no longer than a schema that was priced, but for what null takes', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']
    const schemas = [{ type: types }, { type: ['array', 'object'] }, { type: 'array' }, { enum: ['a', 1] }, { $ref: '#/$defs/a' }]
    for (const a of schemas) {
      const schema = { type: 'object', properties: { a }, $defs: { a: {} } }
      expect(JSON.stringify(reduceParameters(schema)).length).toBeLessThanOrEqual(JSON.stringify(schema).length)
    }
  })

  it.each<[object, object]>([
    [{ type: 'string', nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: ['string', 'null'], enum: ['a', null] }, { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }],
    [{ enum: ['a', 1, 1, true] }, { anyOf: [{ enum: ['a', 1] }, { type: 'boolean' }] }],
    [{ const: null }, { type: 'null' }],
    [
      { const: false, description: 'Never' },
      { type: 'boolean', description: 'Never' },
    ],
    [{ type: 'string', const: null }, { type: 'null' }],
  ])('writes the values of %j as %j', (schema, expected) => expect(reduceResponseSchema({ ...schema })).toEqual(expected))

  it('keeps what is said beside a reference, and what makes it nullable', () => {
    const $defs = { port: { type: 'string' } }
    const use = (schema: object) => reduceParameters({ type: 'object', $defs, properties: { a: schema } }).properties
    expect(use({ $ref: '#/$defs/port' })).toEqual({ a: { $ref: '#/$defs/port' } })
    expect(use({ $ref: '#/$defs/port', description: 'A' })).toEqual({
      a: { description: 'A', anyOf: [{ $ref: '#/$defs/port' }] },
    })
    expect(use({ allOf: [{ $ref: '#/$defs/port' }], default: 1 })).toEqual({ a: { $ref: '#/$defs/port' } })
    expect(use({ $ref: '#/$defs/port', nullable: true })).toEqual({ a: { anyOf: [{ $ref: '#/$defs/port' }, { type: 'null' }] } })
  })

  it('follows references to any place, moves what they name and leaves out what nobody names', () => {
    expect(
      reduceParameters({
        type: 'object',
        $defs: { unused: { type: 'null' }, 'a b': { type: 'array', items: { $ref: '#/$defs/a%20b' } } },
        properties: { from: { type: 'string' }, to: { $ref: '#/properties/from' }, path: { $ref: '#/$defs/a%20b' } },
      }),
    ).toEqual({
      type: 'object',
      properties: { from: { $ref: '#/$defs/from' }, to: { $ref: '#/$defs/from' }, path: { $ref: '#/$defs/schema_2' } },
      $defs: { from: { type: 'string' }, schema_2: { type: 'array', items: { $ref: '#/$defs/schema_2' } } },
    })
  })

  it('is what its root refers to, as generators write it', () => {
    const Root = { type: 'object', properties: { next: { $ref: '#/definitions/Root' } } }
    expect(reduceParameters({ $schema: 'x', $ref: '#/definitions/Root', definitions: { Root } })).toEqual({
      type: 'object',
      properties: { next: { $ref: '#' } },
    })
  })

  it('puts the members of allOf together', () => {
    expect(
      reduceResponseSchema({
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'null' } } },
        ],
      }),
    ).toEqual({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'null' } }, required: ['a'] })
  })

  it('writes a tuple where the wire has one, and a list of its members elsewhere', () => {
    const tuple = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }
    expect(reduceResponseSchema(tuple)).toEqual({
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      maxItems: 2,
    })
    expect(
      reduceParameters({ type: 'object', properties: { a: { type: 'array', items: tuple.prefixItems } } }).properties,
    ).toEqual({
      a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    })
  })

  it('requires nothing that it does not describe', () => {
    expect(reduceParameters({ type: 'object', properties: { a: {} }, required: ['a', 'b', 'a', 'toString'] }).required).toEqual([
      'a',
    ])
  })

  it.each([[undefined], [{}], [{ type: 'object' }]])('of no parameters (%j) is an empty object', (schema) => {
    expect(reduceParameters(schema)).toEqual({ type: 'object', properties: {} })
  })

  it('ends on a schema of any depth', () => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: 'array', items: schema }
    expect(JSON.stringify(reduceResponseSchema(schema)).length).toBeLessThan(3_000)
  })
})
