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

  it.each([[undefined], [{}], [{ type: 'object' }]])('of no parameters (%j) is an empty object', (schema) => {
    expect(reduceParameters(schema)).toEqual({ type: 'object', properties: {} })
  })

  it('ends on a schema of any depth', () => {
    let schema: Record<string, unknown> = { type: 'string' }
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: 'array', items: schema }
    expect(JSON.stringify(reduceResponseSchema(schema)).length).toBeLessThan(3_000)
  })
})
