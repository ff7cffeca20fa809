import type { TSchema } from 'typebox'
import type { PaidEndpoint } from '../models.ts'
import { EXAMPLES } from './examples.ts'
import type { Json } from './operation.ts'

/**
 * The x402 bazaar extension of a challenge: how the endpoint is called and what it answers, for crawlers that list services from their
 * challenges alone. It travels in a header, and official clients send it back in theirs, so it holds the outline of the schema only:
 * the whole of it is in the OpenAPI document. A proxy with nginx's defaults takes 4 KiB of head from whom it asks, and answers 502 to more.
 */
export function bazaarExtension(endpoint: PaidEndpoint, requestSchema: TSchema): Json {
  const { request, response } = EXAMPLES[endpoint]
  const object = { type: 'object' }
  return {
    bazaar: {
      info: {
        input: { type: 'http', method: 'POST', bodyType: 'json', body: request },
        output: { type: 'json', example: response },
      },
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          input: {
            type: 'object',
            properties: {
              type: { type: 'string', const: 'http' },
              method: { type: 'string', enum: ['POST'] },
              bodyType: { type: 'string', enum: ['json'] },
              body: outlineOf(requestSchema),
            },
            required: ['type', 'method', 'bodyType', 'body'],
            additionalProperties: false,
          },
          output: { ...object, properties: { type: { type: 'string' }, example: object }, required: ['type'] },
        },
        required: ['input'],
      },
    },
  }
}

/** Limits and defaults are looked up in the OpenAPI document, and so is a list of more values than this. */
const KEPT = ['type', 'enum', 'const'] as const
const MAX_ENUM = 8

/** The first level of an object schema. */
function outlineOf(schema: TSchema): Json {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Json>
    required?: string[]
    additionalProperties?: boolean
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, outlineOfField(field)] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required,
    ...(additionalProperties === false ? { additionalProperties } : {}),
  }
}

function outlineOfField(field: Json): Json {
  const kept = KEPT.filter((keyword) => field[keyword] !== undefined && !isLongEnum(keyword, field[keyword]))
  return Object.fromEntries(kept.map((keyword) => [keyword, field[keyword]]))
}

function isLongEnum(keyword: string, value: unknown): boolean {
  return keyword === 'enum' && Array.isArray(value) && value.length > MAX_ENUM
}
