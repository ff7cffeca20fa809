import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkEndpointSchema,
  checkL2ForOpenAPI,
  discoverOriginSchema,
  getOpenAPI,
  getWarningsForL2,
  getWarningsForOpenAPI,
  isOpenApiParseFailure,
} from '@agentcash/discovery'
import { fundWallet } from '@turnpike/local'
import { typesOfDocument } from '@turnpike/openapi-types'
import { payingFetch, post } from '@turnpike/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'
import { typeErrorsOf } from './type-errors.ts'

const stack = stackNow()
type Content = Record<string, { schema?: object; example?: unknown }>
type Operation = {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
  'x-payment-info'?: { price: Record<string, string> }
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } }

const document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const paid = operations.filter(({ operation }) => operation['x-payment-info'] !== undefined)

// Strict about what it knows; formats are of no concern here.
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ ...document, $id: 'turnpike' })

/** What is wrong with an answer by the document: its status, or its body by the schema of that status. */
async function undocumented(path: string, method: string, response: Response): Promise<unknown> {
  const documented = document.paths[path]?.[method]?.responses[response.status]
  if (documented === undefined) return `${method} ${path} answered ${response.status}`
  const [type] = (response.headers.get('content-type') ?? '').split(';')
  const schema = documented.content?.[type ?? '']?.schema as { $ref?: string } | undefined
  if (documented.content !== undefined && schema === undefined) return `${method} ${path} answered ${type}`
  if (schema?.$ref === undefined) return undefined
  const validate = ajv.compile({ $ref: `turnpike${schema.$ref}` })
  const body: unknown = await response.json()
  return validate(body) ? undefined : { path, body, errors: validate.errors }
}

describe('the served document', () => {
  it('documents every answer to its own examples, paid and unpaid', async () => {
    const wallet = await fundWallet(stack, 2)
    const examples = operations.flatMap(({ path, method, operation }) =>
      Object.entries(operation.requestBody?.content ?? {}).flatMap(([, { example }]) =>
        example === undefined ? [] : [{ path, method, example, isPaid: operation['x-payment-info'] !== undefined }],
      ),
    )
    expect(examples.map(({ path }) => path)).toEqual(expect.arrayContaining([...paid.map(({ path }) => path), '/v1/quote']))
    for (const { path, method, example, isPaid } of examples) {
      const url = `${stack.baseUrl}${path}`
      const first = await post({ url, body: example })
      expect(first.status, path).toBe(isPaid ? 402 : 200)
      expect(await undocumented(path, method, first)).toBeUndefined()
      if (!isPaid) continue
      const bought = await payingFetch(wallet)(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-idempotency-key': crypto.randomUUID() },
        body: JSON.stringify(example),
      })
      expect(bought.status, path).toBe(200)
      expect(await undocumented(path, method, bought.clone())).toBeUndefined()
      const receipt = await fetch(`${stack.baseUrl}/v1/receipts/${bought.headers.get('x-receipt-id')}`, {
        headers: { authorization: `Bearer ${bought.headers.get('x-receipt-token')}` },
      })
      expect(receipt.status).toBe(200)
      expect(await undocumented('/v1/receipts/{id}', 'get', receipt)).toBeUndefined()
    }
  })

  it('documents what every free route answers', async () => {
    const targets: Record<string, string> = {
      '/v1/balance': `/v1/balance?address=0x${'a'.repeat(40)}`,
      '/v1/receipts/{id}': '/v1/receipts/none',
      '/v1/media/{capability}': '/v1/media/none',
    }
    const gets = operations.filter(({ method }) => method === 'get' || method === 'head')
    expect(gets.length).toBeGreaterThan(12)
    for (const { path, method } of gets) {
      const response = await fetch(`${stack.baseUrl}${targets[path] ?? path}`, { method, redirect: 'manual' })
      expect(await undocumented(path, method, response), path).toBeUndefined()
      expect(response.headers.get('x-request-id'), path).toBeTruthy()
    }
  })

  it('documents errors in both envelopes, on every path and for methods that it does not take', async () => {
    for (const { path, method } of operations) {
      const url = `${stack.baseUrl}${path.replace(/\{\w+\}/, 'x')}`
      const wrong = await fetch(url, { method: 'PUT' })
      expect(wrong.status, path).toBe(405)
      expect(await undocumented(path, method, wrong), path).toBeUndefined()
      expect(wrong.headers.get('allow')).toBe(method === 'post' ? 'POST' : 'GET, HEAD')
    }
    for (const { path } of paid) {
      const url = `${stack.baseUrl}${path}`
      const answers = [
        await post({ url, body: '{' }),
        await post({ url, body: {} }),
        await post({ url, body: '{', payment: 'x' }),
        await post({ url, body: 'x', headers: { 'content-type': 'text/plain' } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([402, 402, 400, 415])
      for (const answer of answers) expect(await undocumented(path, 'post', answer), path).toBeUndefined()
    }
  })

  it('becomes types that compile', async () => {
    const types = await typesOfDocument(document)
    const folder = mkdtempSync(join(import.meta.dirname, '../node_modules/.types-'))
    try {
      const used = "import type { paths } from './api.ts'\ntype Chat = paths['/v1/chat/completions']['post']\n"
      const assertion =
        "export const price = (body: Chat['responses'][402]['content']['application/json']): string => body.price.amount\n"
      writeFileSync(join(folder, 'api.ts'), types)
      writeFileSync(join(folder, 'use.ts'), used + assertion)
      expect(await typeErrorsOf(join(folder, 'use.ts'))).toEqual('')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the discovery of agentcash', () => {
  it('finds every paid endpoint with its price, and nothing to complain about', async () => {
    const found = (await getOpenAPI(stack.baseUrl))._unsafeUnwrap()
    if (found === null || isOpenApiParseFailure(found)) throw new Error(`not read: ${JSON.stringify(found)}`)
    const l2 = checkL2ForOpenAPI(found)
    const priced = l2.routes.filter(({ price }) => price !== undefined && price !== null)
    expect(priced.map(({ path }) => path).sort()).toEqual(paid.map(({ path }) => path).sort())
    const warnings = [...getWarningsForOpenAPI(found), ...getWarningsForL2(l2)]
    expect(warnings.filter(({ severity }) => severity === 'error')).toEqual([])
    const origin = await discoverOriginSchema({ target: stack.baseUrl })
    expect(origin).toMatchObject({ found: true })
  })

  it('reads the challenge of every paid endpoint', async () => {
    for (const { path } of paid) {
      const checked = await checkEndpointSchema({ url: `${stack.baseUrl}${path}`, probe: true })
      expect(checked, path).toMatchObject({ found: true })
      const advisories = checked.found ? checked.advisories : []
      const [advice] = advisories.filter(({ method }) => method === 'POST')
      expect(advice?.paymentOptions, path).toMatchObject([{ protocol: 'x402', version: 2, network: 'eip155:8453' }])
    }
  })
})

describe('what agents read', () => {
  let texts: Record<string, string>
  beforeAll(async () => {
    const paths = ['/llms.txt', '/robots.txt', '/docs', '/docs/reference']
    const read = async (path: string) => [path, await (await fetch(`${stack.baseUrl}${path}`)).text()] as const
    texts = Object.fromEntries(await Promise.all(paths.map(read)))
  })

  it('names every paid endpoint, and leads to what is there', async () => {
    for (const { path } of paid) expect(texts['/llms.txt']).toContain(`POST ${stack.baseUrl}${path}`)
    const links = [...(texts['/llms.txt'] ?? '').matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link as string)
    const pageLinks = ['/docs', '/docs/reference'].flatMap((page) =>
      [...(texts[page] ?? '').matchAll(/(?:href|src)="(\/[^"#]*)/g)].map(([, path]) => `${stack.baseUrl}${path}`),
    )
    for (const link of new Set([...links, ...pageLinks])) expect((await fetch(link)).status, link).toBe(200)
    expect(texts['/robots.txt']).toContain('Disallow: /v1/media/')
  })

  it('is where a browser and an agent are led from the front', async () => {
    const front = async (accept: string) =>
      (await fetch(stack.baseUrl, { headers: { accept }, redirect: 'manual' })).headers.get('location')
    expect(await front('text/html,application/xhtml+xml,*/*;q=0.8')).toBe(`${stack.baseUrl}/docs`)
    for (const accept of ['*/*', 'application/json', 'text/plain']) expect(await front(accept)).toBe(`${stack.baseUrl}/llms.txt`)
  })
})
