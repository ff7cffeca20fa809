import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticJson } from './static-answer.ts'

const value = { list: Array.from({ length: 500 }, (_, index) => ({ index })) }
const long = staticJson(value, 60)
const short = staticJson({ a: 1 }, 60)
let server: Server

beforeAll(async () => {
  server = createServer((request, response) =>
    (request.url === '/short' ? short : long)(request, response, { requestId: 'id', path: '/' }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

/** Plain HTTP: fetch would decode the body and hide its encoding. */
function get(headers: Record<string, string>, path = '/'): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve({ answer, body: Buffer.concat(chunks) }))
    })
      .on('error', reject)
      .end()
  })
}

describe('a static answer', () => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])('comes compressed for %s', async (accepted, encoding, decode) => {
    const { answer, body } = await get({ 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers.vary).toBe('Accept-Encoding')
    expect(JSON.parse(decode(body).toString())).toEqual(value)
  })

  it.each([{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'zstd' }, { 'accept-encoding': '' }])(
    'comes as it is for %j',
    async (headers) => {
      const { answer, body } = await get(headers as Record<string, string>)
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(body.toString())).toEqual(value)
    },
  )

  it('is not compressed when it is short', async () => {
    const { answer, body } = await get({ 'accept-encoding': 'br' }, '/short')
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(body.toString()).toBe('{"a":1}')
  })

  it('is a 304 without a body for whoever has it, per encoding', async () => {
    const plain = (await get({})).answer.headers.etag ?? ''
    const packed = (await get({ 'accept-encoding': 'br' })).answer.headers.etag ?? ''
    expect(plain).toMatch(/^"[A-Za-z0-9_-]+"$/)
    expect(packed).not.toBe(plain)
    for (const known of [plain, `W/${plain}`, `"other", ${plain}`, '*']) {
      const { answer, body } = await get({ 'if-none-match': known })
      expect([answer.statusCode, body.length, answer.headers.etag]).toEqual([304, 0, plain])
      expect(answer.headers['content-length']).toBeUndefined()
    }
    expect((await get({ 'if-none-match': packed })).answer.statusCode).toBe(200)
  })
})
