import { type Schema, Type } from '@google/genai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { officialClient } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

async function answer(config: Record<string, unknown>, model = 'gemini-2.5-flash'): Promise<unknown> {
  const { text } = await officialClient(sandbox).models.generateContent({
    model,
    contents: 'describe it',
    config: { responseMimeType: 'application/json', ...config },
  })
  return JSON.parse(text ?? '')
}

const node = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/$defs/node' } },
        parent: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['name', 'children', 'parent'],
      additionalProperties: false,
    },
  },
}

const schemas: [string, Record<string, unknown>][] = [
  [
    'nested objects, enums and required members',
    {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['b', 'a'] },
        size: {
          type: 'object',
          properties: { width: { type: 'integer', minimum: 7 }, ratio: { type: 'number', maximum: 0.5 } },
          required: ['width', 'ratio'],
        },
        open: { type: 'boolean' },
        gone: { type: 'null' },
      },
      required: ['kind', 'size', 'open', 'gone'],
      additionalProperties: false,
    },
  ],
  [
    'arrays with bounds and tuples',
    {
      type: 'object',
      properties: {
        three: { type: 'array', items: { type: 'integer', enum: [4, 5] }, minItems: 3, maxItems: 3 },
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'number' }],
          minItems: 2,
          maxItems: 2,
          items: { type: 'string' },
        },
        empty: { type: 'array', maxItems: 0, items: { type: 'string' } },
      },
      required: ['three', 'pair', 'empty'],
    },
  ],
  ['a recursive definition', node],
  [
    'anyOf beside properties, oneOf, and a type with null',
    {
      type: 'object',
      properties: {
        id: { type: ['string', 'null'] },
        shape: {
          oneOf: [
            { type: 'object', properties: { r: { type: 'number' } }, required: ['r'], additionalProperties: false },
            { type: 'string' },
          ],
        },
        either: {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          anyOf: [{ required: ['b'], properties: { b: { type: 'integer' } } }],
        },
      },
      required: ['id', 'shape', 'either'],
    },
  ],
  ['an array at the top', { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } }],
  ['members that are required but not described', { type: 'object', required: ['x'], additionalProperties: { type: 'integer' } }],
]

describe('JSON answers', () => {
  it.each(schemas)('satisfy responseJsonSchema: %s', async (_title, schema) => {
    const value = await answer({ responseJsonSchema: schema })
    // An independent validator decides, not the code that made the value.
    const validate = new Ajv2020({ strict: false }).compile(schema)
    expect(validate(value), JSON.stringify({ value, errors: validate.errors })).toBe(true)
  })

  it('satisfy responseSchema, with all its members in propertyOrdering', async () => {
    const schema: Schema = {
      type: Type.OBJECT,
      properties: {
        last: { type: Type.STRING, maxLength: '2' },
        first: { type: Type.ARRAY, items: { type: Type.STRING, enum: ['x'] }, minItems: '2' },
        when: { type: Type.STRING, format: 'date-time' },
      },
      required: ['first'],
      propertyOrdering: ['first', 'when', 'last'],
    }
    const value = await answer({ responseSchema: schema })
    expect(value).toEqual({ first: ['x', 'x'], when: '2026-01-02T03:04:05Z', last: 'la' })
    expect(Object.keys(value as object)).toEqual(['first', 'when', 'last'])
  })

  it('without a schema are an object with the fixed sentence', async () => {
    expect(await answer({})).toEqual({ answer: 'You said: describe it' })
  })

  it('go together with tools on Gemini 3, and are a 400 on 2.5', async () => {
    const tools = [{ functionDeclarations: [{ name: 'look' }] }]
    expect(await answer({ tools }, 'gemini-3.5-flash')).toEqual({ answer: 'You said: describe it' })
    await expect(answer({ tools })).rejects.toMatchObject({ status: 400, message: expect.stringContaining('is unsupported') })
  })

  it('can be a bare enum value', async () => {
    const { text } = await officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-flash',
      contents: 'pick',
      config: { responseMimeType: 'text/x.enum', responseSchema: { type: Type.STRING, enum: ['red', 'blue'] } },
    })
    expect(text).toBe('red')
  })
})
