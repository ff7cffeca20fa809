import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchImage, type ImageFailure, type ImageGuard } from './fetch-image.ts'
import { fetchImages } from './fetch-images.ts'
import { openImageFetcher } from './open-image-fetcher.ts'
import { isPublicAddress } from './public-address.ts'
import { IMAGE_HOST, type ImageServer, pngImage, startImageServer } from './testing/image-server.ts'

type Seen = { host: string | undefined; url: string | undefined; name: unknown }
let server: ImageServer
let answer: (request: IncomingMessage, response: ServerResponse) => void
let seen: Seen[] = []

beforeAll(async () => {
  server = await startImageServer((request, response) => {
    seen.push({ host: request.headers.host, url: request.url, name: (request.socket as { servername?: unknown }).servername })
    answer(request, response)
  })
})
afterAll(() => server.close())
beforeEach(() => {
  seen = []
  answer = (_request, response) => response.end(pngImage())
})

const URL_OF_IMAGE = `https://${IMAGE_HOST}/a.png?size=1`
const limits = { maxImageBytes: 100_000, imageTimeoutMs: 60_000 }

function guard(changes: Partial<ImageGuard> = {}): ImageGuard {
  return { resolve: async () => ['127.0.0.1'], isAllowed: () => true, port: server.port, ca: server.ca, ...changes }
}
const fetchOne = (changes: Partial<ImageGuard> = {}, url = URL_OF_IMAGE, own = limits) =>
  fetchImage({ guard: guard(changes), limits: own }, url, AbortSignal.timeout(60_000))

describe('an image', () => {
  it('comes from the checked address under the name of the URL', async () => {
    expect(await fetchOne()).toEqual({
      ok: true,
      bytes: pngImage().length,
      image: { type: 'image', mimeType: 'image/png', base64: pngImage().toString('base64') },
    })
    expect(seen).toEqual([{ host: IMAGE_HOST, url: '/a.png?size=1', name: IMAGE_HOST }])
  })

  it('is what its bytes are, whatever the server calls them', async () => {
    answer = (_request, response) => response.setHeader('content-type', 'text/html').end(pngImage())
    expect(await fetchOne()).toMatchObject({ ok: true, image: { mimeType: 'image/png' } })
  })

  it('is called at the address that was checked, however often the name changes', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return answers.shift() ?? []
    }
    expect(await fetchOne({ resolve })).toMatchObject({ ok: true })
    expect(asked).toEqual([IMAGE_HOST])
  })
})

describe('nothing is called', () => {
  it.each<[string, string[], ImageFailure]>([
    ['that is loopback', ['127.0.0.1'], 'address_refused'],
    ['of a metadata service', ['169.254.169.254'], 'address_refused'],
    ['that is mapped', ['::ffff:127.0.0.1'], 'address_refused'],
    ['that hides among public ones', ['93.184.216.34', '10.0.0.1'], 'address_refused'],
    ['that nobody has', [], 'name_unknown'],
  ])('at an address %s', async (_what, addresses, why) => {
    const before = server.connections()
    expect(await fetchOne({ resolve: async () => addresses, isAllowed: isPublicAddress })).toEqual({ ok: false, why })
    expect(server.connections()).toBe(before)
  })

  it.each(['https://127.0.0.1/', 'https://2130706433/', 'https://[::1]/', 'https://[::ffff:7f00:1]/'])('at %s', async (url) => {
    const asked: string[] = []
    const resolve = async (hostname: string) => {
      asked.push(hostname)
      return ['127.0.0.1']
    }
    const before = server.connections()
    expect(await fetchOne({ resolve, isAllowed: isPublicAddress }, url)).toEqual({ ok: false, why: 'address_refused' })
    expect(asked).toEqual([])
    expect(server.connections()).toBe(before)
  })

  it.each(['http://images.example/', 'https://images.example:8443/', 'https://a@images.example/', 'x'])('for %s', async (url) => {
    expect(await fetchOne({}, url)).toEqual({ ok: false, why: 'url_refused' })
  })

  it('by the fetcher of the product inside, whatever is asked', async () => {
    const fetcher = openImageFetcher()
    for (const url of ['https://127.0.0.1/', 'https://169.254.169.254/latest/meta-data', 'https://[fd00:ec2::254]/']) {
      expect(await fetcher([url], AbortSignal.timeout(60_000))).toEqual({ ok: false, why: 'address_refused' })
    }
    const many = Array.from({ length: 21 }, (_, at) => `https://images.example/${at}`)
    expect(await fetcher(many, AbortSignal.timeout(60_000))).toEqual({ ok: false, why: 'too_many' })
  })
})

describe('an image is not to be had', () => {
  const redirect = (response: ServerResponse) => response.writeHead(302, { location: URL_OF_IMAGE }).end(pngImage())
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, ImageFailure]>([
    ['behind a redirect', (_request, response) => redirect(response), 'refused_by_server'],
    ['that is missing', (_request, response) => response.writeHead(404).end(pngImage()), 'refused_by_server'],
    ['in part', (_request, response) => response.writeHead(206).end(pngImage()), 'refused_by_server'],
    ['compressed', (_request, response) => response.setHeader('content-encoding', 'gzip').end(pngImage()), 'refused_by_server'],
    [
      'announced too large',
      (_request, response) => response.writeHead(200, { 'content-length': 100_001 }).write('x'),
      'too_large',
    ],
    ['that grows too large', (_request, response) => response.end(pngImage(2, 200_000)), 'too_large'],
    ['that is a page', (_request, response) => response.end('<html></html>'), 'not_an_image'],
    ['that is nothing', (_request, response) => response.end(), 'not_an_image'],
    ['that is a drawing', (_request, response) => response.end('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'not_an_image'],
    ['that is a GIF', (_request, response) => response.end('GIF89a\x01\0\x01\0'), 'not_an_image'],
    ['that would unpack to gigabytes', (_request, response) => response.end(pngImage(60_000)), 'not_an_image'],
    ['that breaks off', (request) => request.socket.destroy(), 'no_connection'],
    [
      'that breaks off in the middle',
      (request, response) => {
        response.writeHead(200, { 'content-length': 500 }).write(pngImage(), () => request.socket.destroy())
      },
      'no_connection',
    ],
  ])('%s', async (_what, respond, why) => {
    answer = respond
    expect(await fetchOne()).toEqual({ ok: false, why })
    expect(seen).toHaveLength(1)
  })

  it('that does not come, or stops coming', async () => {
    const short = { ...limits, imageTimeoutMs: 400 }
    answer = (request) => request.resume()
    expect(await fetchOne({}, URL_OF_IMAGE, short)).toEqual({ ok: false, why: 'too_slow' })
    answer = (_request, response) => response.write(pngImage().subarray(0, 20))
    expect(await fetchOne({}, URL_OF_IMAGE, short)).toEqual({ ok: false, why: 'too_slow' })
  })

  it('whose name is not answered for', async () => {
    const resolve = (_hostname: string, signal: AbortSignal) =>
      new Promise<string[]>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    expect(await fetchOne({ resolve }, URL_OF_IMAGE, { ...limits, imageTimeoutMs: 100 })).toEqual({ ok: false, why: 'too_slow' })
  })

  it('from a server that is not who it should be', async () => {
    expect(await fetchOne({}, 'https://other.example/')).toEqual({ ok: false, why: 'no_connection' })
    const { ca: _ca, ...withoutTestAuthority } = guard()
    expect(await fetchImage({ guard: withoutTestAuthority, limits }, URL_OF_IMAGE, AbortSignal.timeout(60_000))).toEqual({
      ok: false,
      why: 'no_connection',
    })
    expect(seen).toEqual([])
  })
})

describe('the images of one request', () => {
  const own = { ...limits, concurrentPerRequest: 2, maxImagesPerRequest: 6, maxBytesPerRequest: 10_000, requestTimeoutMs: 60_000 }
  const urls = Array.from({ length: 6 }, (_, at) => `https://${IMAGE_HOST}/${at}`)
  const fetchAll = (changes: Partial<typeof own> = {}) =>
    fetchImages({ guard: guard(), limits: { ...own, ...changes } }, urls, AbortSignal.timeout(60_000))

  it('come together, a few at a time', async () => {
    const waiting: ServerResponse[] = []
    let most = 0
    answer = (_request, response) => {
      most = Math.max(most, waiting.push(response))
      // Answered in pairs: one that came alone would wait for ever.
      if (waiting.length === 2) for (const held of waiting.splice(0)) held.end(pngImage())
    }
    const result = await fetchAll()
    expect(result.ok && [...result.images.keys()].sort()).toEqual(urls)
    expect(most).toBe(2)
    expect(seen).toHaveLength(6)
  })

  it('are none when one cannot be had, and the others are not waited for', async () => {
    answer = (request, response) => {
      if (request.url === '/1') response.writeHead(404).end()
      else request.resume()
    }
    expect(await fetchAll()).toEqual({ ok: false, why: 'refused_by_server' })
    expect(seen.length).toBeLessThanOrEqual(2)
  })

  it('have limits together', async () => {
    answer = (request, response) => (request.url === '/5' ? request.resume() : response.end(pngImage()))
    expect(await fetchAll({ requestTimeoutMs: 500 })).toEqual({ ok: false, why: 'too_slow' })
    answer = (_request, response) => response.end(pngImage())
    expect(await fetchAll({ maxBytesPerRequest: pngImage().length * 5 })).toEqual({ ok: false, why: 'too_large_together' })
    expect(await fetchAll({ maxImagesPerRequest: 5 })).toEqual({ ok: false, why: 'too_many' })
  })
})
