import { validate as validateByReadme } from '@readme/openapi-parser'
import { Validator } from '@seriousme/openapi-schema-validator'
import { bazaarExtension, EXAMPLES, MODELS } from '@turnpike/contracts'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { PAID } from '../endpoints/paid-endpoints.ts'
import { apiDocument } from './api-document.ts'

type Operation = {
  operationId: string
  security: unknown[]
  responses: Record<string, { content?: Record<string, unknown> }>
  'x-payment-info'?: { price: Record<string, string> }
}
type Document = {
  openapi: string
  info: Record<string, string>
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Record<string, unknown>> }
}

const document = apiDocument({ publicBaseUrl: 'https://api.test', models: MODELS, endpoints: PAID }) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

describe('the OpenAPI document', () => {
  it('is valid for two validators that know nothing of each other', async () => {
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })
    expect(await validateByReadme(structuredClone(document) as unknown as Parameters<typeof validateByReadme>[0])).toMatchObject({
      valid: true,
    })
  })

  it('says its version and how agents use it', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ version: '0.5.0', 'x-guidance': expect.stringContaining('x-idempotency-key') })
  })

  it('has an operation id of its own for each operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('lists every paid endpoint with its price and a 402', () => {
    for (const { path } of PAID) {
      const operation = document.paths[path]?.post
      expect(operation?.['x-payment-info']?.price, path).toMatchObject({ currency: 'USD' })
      expect(Object.keys(operation?.responses ?? {}), path).toEqual(
        expect.arrayContaining(['200', '400', '402', '405', '409', '413', '415', '429', '503']),
      )
    }
    expect(document.paths['/v1/images/generations']?.post?.['x-payment-info']?.price).toEqual({
      mode: 'fixed',
      amount: '0.035',
      currency: 'USD',
    })
    expect(document.paths['/v1/audio/speech']?.post?.['x-payment-info']?.price).toEqual({
      mode: 'dynamic',
      min: '0.002',
      max: '0.441',
      currency: 'USD',
    })
  })

  it('asks for no authentication but for receipts', () => {
    const guarded = operations.filter(({ operation }) => operation.security.length > 0).map(({ path }) => path)
    expect(guarded).toEqual(['/v1/receipts/{id}'])
  })

  it('leaves out what is not on offer', () => {
    const textOnly = apiDocument({
      publicBaseUrl: 'https://api.test',
      models: ['gm-2.5-flash'],
      endpoints: PAID.filter(({ path }) => path === '/v1/chat/completions'),
    }) as Document
    expect(Object.keys(textOnly.paths)).not.toContain('/v1/images/generations')
    expect(textOnly.components.schemas).not.toHaveProperty('ImageRequest')
    expect(textOnly.components.schemas.ChatCompletionRequest?.properties).toMatchObject({ model: { enum: ['gm-2.5-flash'] } })
  })

  it.each(PAID.map(({ path }) => path))('has examples of %s that fit their schemas', (path) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema({ ...document, $id: 'https://api.test/openapi.json' })
    const operation = document.paths[path]?.post as unknown as {
      requestBody: { content: Record<string, { schema: { $ref: string } }> }
      responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
    }
    const fits = (schema: { $ref: string } | undefined, value: unknown) => {
      const validate = ajv.compile({ $ref: `https://api.test/openapi.json${schema?.$ref}` })
      validate(value)
      return validate.errors ?? []
    }
    expect(fits(operation.requestBody.content['application/json']?.schema, EXAMPLES[path].request)).toEqual([])
    expect(fits(operation.responses['200']?.content['application/json']?.schema, EXAMPLES[path].response)).toEqual([])
  })
})

describe('the bazaar extension of a challenge', () => {
  it.each(PAID)('of $path is what the official crawlers take', ({ path, requestSchema }) => {
    const { bazaar } = bazaarExtension(path, requestSchema) as {
      bazaar: Parameters<typeof validateDiscoveryExtension>[0] & Record<string, unknown>
    }
    expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
    expect(validateDiscoveryExtensionSpec(bazaar)).toMatchObject({ valid: true })
  })

  it.each(PAID)('of $path leaves room in the header that it travels in', ({ path, requestSchema }) => {
    expect(JSON.stringify(bazaarExtension(path, requestSchema)).length).toBeLessThan(3_000)
  })
})
