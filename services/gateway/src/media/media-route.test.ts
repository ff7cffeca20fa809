import { createHash, randomBytes } from 'node:crypto'
import { openKeyring, readMediaCapability } from '@turnpike/sealing'
import { mediaKeyOf, mediaObjectOf, openObjectStore } from '@turnpike/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS, serveMedia } from './testing/serve-media.ts'
import { startTestStore, type TestStore } from './testing/test-store.ts'

let server: TestStore
let site: Awaited<ReturnType<typeof serveMedia>>
beforeAll(async () => {
  server = await startTestStore()
  site = await serveMedia(server.store)
})
afterAll(async () => {
  await site.close()
  await server.remove()
})

const bytes = randomBytes(300_000)
const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

describe.each(['sealed', 'plain'] as const)('a hosted file, %s at rest', (atRest) => {
  it('is served whole, with everything that a client and a browser ask about it', async () => {
    const { url } = await site.host(bytes, { atRest })
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(digest(await bodyOf(response))).toBe(digest(bytes))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '300000',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[A-Za-z0-9_-]{22}"$/),
      'content-disposition': expect.stringMatching(/^inline; filename="image-[A-Za-z0-9_-]{8}\.png"$/),
      'cache-control': 'private, max-age=3600, immutable',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringMatching(/Content-Range.*ETag/),
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it.each([
    ['bytes=0-', 0, 299_999],
    ['bytes=0-0', 0, 0],
    ['bytes=65535-65536', 65_535, 65_536],
    ['bytes=200000-', 200_000, 299_999],
    ['bytes=-1', 299_999, 299_999],
    ['bytes=-9999999', 0, 299_999],
    ['bytes=1-9999999', 1, 299_999],
  ])('is served in the range %s', async (range, first, last) => {
    const { url } = await site.host(bytes, { atRest })
    const response = await fetch(url, { headers: { range } })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/300000`)
    expect(response.headers.get('content-length')).toBe(String(last - first + 1))
    expect((await bodyOf(response)).equals(bytes.subarray(first, last + 1))).toBe(true)
  })

  it('has no range beyond its end', async () => {
    const { url } = await site.host(bytes, { atRest })
    const response = await fetch(url, { headers: { range: 'bytes=300000-' } })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */300000'])
    expect(await codeOf(response)).toBe('range_not_satisfiable')
  })

  it('ignores a range of another file', async () => {
    const { url } = await site.host(bytes, { atRest })
    const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? ''
    const ask = async (ifRange: string) => (await fetch(url, { headers: { range: 'bytes=0-9', 'if-range': ifRange } })).status
    expect(await ask(etag)).toBe(206)
    expect(await ask('"another"')).toBe(200)
    expect(await ask(`W/${etag}`)).toBe(200)
    expect(await ask('Sat, 21 Nov 2026 00:00:00 GMT')).toBe(200)
  })

  it('says by HEAD what GET would, without a body and without regard to ranges', async () => {
    const { url } = await site.host(bytes, { atRest })
    const described = (response: Response) => {
      // The connection is the affair of the two ends: this client closes it after a HEAD.
      const { date: _d, 'x-request-id': _r, connection: _c, 'keep-alive': _k, ...headers } = Object.fromEntries(response.headers)
      return [response.status, headers]
    }
    const head = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } })
    expect(described(head)).toEqual(described(await fetch(url)))
    expect((await bodyOf(head)).length).toBe(0)
  })

  it('is not sent again to whoever has it', async () => {
    const { url } = await site.host(bytes, { atRest })
    const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await fetch(url, { headers: { 'if-none-match': known } })
      expect([response.status, response.headers.get('etag'), (await bodyOf(response)).length], known).toEqual([304, etag, 0])
      expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+/)
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is there until its last millisecond, then gone for ever, in the store or not', async () => {
    const { url, expiresAtMs, capability } = await site.host(bytes, { atRest })
    const askAt = async (nowMs: number, init: RequestInit = {}) => {
      site.clock.nowMs = nowMs
      return fetch(url, init)
    }
    const last = await askAt(expiresAtMs - 1)
    expect([last.status, last.headers.get('cache-control')]).toEqual([200, 'private, max-age=0, immutable'])
    await last.arrayBuffer()
    const short = await askAt(expiresAtMs - 1_999)
    expect(short.headers.get('cache-control')).toBe('private, max-age=1, immutable')
    await short.arrayBuffer()
    for (const init of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-9' } }, { headers: { 'if-none-match': '*' } }])
      expect((await askAt(expiresAtMs, init)).status).toBe(410)
    const claim = readMediaCapability(site.deps.mediaCapabilityKeys, capability)
    const object = claim && mediaObjectOf(claim)
    if (object === undefined) throw new Error('not a capability')
    await server.store.delete(mediaKeyOf(object))
    const later = await askAt(expiresAtMs + 10 * 365 * 24 * HOUR_MS)
    expect([later.status, await codeOf(later)]).toEqual([410, 'media_expired'])
    site.clock.nowMs = Date.now()
    // Gone before its time is a fault of ours that looks like an unknown file.
    expect((await fetch(url)).status).toBe(404)
    expect(site.logged()).toContain('gone before its expiry')
  })
})

describe('an address of no file', () => {
  it('is 404 whatever it says, before and after the expiry that it claims', async () => {
    const { capability, expiresAtMs } = await site.host(bytes)
    const foreign = await serveMedia(server.store)
    const others = [
      (await foreign.host(bytes)).capability,
      ...Array.from(
        { length: capability.length },
        (_, at) => `${capability.slice(0, at)}${capability[at] === 'A' ? 'B' : 'A'}${capability.slice(at + 1)}`,
      ),
      `${capability}A`,
      capability.slice(0, -1),
      'x',
      '%00',
      encodeURIComponent('../requests/x'),
      'a'.repeat(8_000),
    ]
    await foreign.close()
    for (const nowMs of [Date.now(), expiresAtMs + 1]) {
      site.clock.nowMs = nowMs
      for (const other of others) {
        const response = await fetch(`${site.baseUrl}${other}`)
        expect([response.status, await codeOf(response)], other).toEqual([404, 'media_not_found'])
      }
    }
    site.clock.nowMs = Date.now()
  })

  it('is readable by a page, as an error', async () => {
    const response = await fetch(`${site.baseUrl}x`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('a rotation of the capability keys', () => {
  it('keeps the addresses that were given out, until the old key is gone', async () => {
    const { capability } = await site.host(bytes)
    const [[id, key] = ['', Buffer.alloc(0)]] = site.deps.mediaCapabilityKeys.keys
    const fresh = `m2:${randomBytes(32).toString('base64')}`
    for (const [keys, status] of [
      [`${fresh},${id}:${key.toString('base64')}`, 200],
      [fresh, 404],
    ] as const) {
      const rotated = await serveMedia(server.store, {
        contentKeys: site.deps.contentKeys,
        mediaCapabilityKeys: openKeyring(keys),
      })
      expect((await fetch(`${rotated.baseUrl}${capability}`, { method: 'HEAD' })).status).toBe(status)
      await rotated.close()
    }
  })
})

describe('redirects to the store', () => {
  let redirecting: Awaited<ReturnType<typeof serveMedia>>
  beforeAll(async () => {
    redirecting = await serveMedia(server.store, { mediaRedirects: openObjectStore(server.config) })
  })
  afterAll(() => redirecting.close())

  it('lead to the file as it would have been sent, by GET and HEAD', async () => {
    const { url } = await redirecting.host(bytes, { atRest: 'plain', contentType: 'audio/mpeg' })
    const response = await fetch(url, { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const followed = await fetch(url)
    expect(followed.headers.get('content-type')).toBe('audio/mpeg')
    expect(followed.headers.get('content-disposition')).toMatch(/^inline; filename="speech-[A-Za-z0-9_-]{8}\.mp3"$/)
    expect(followed.headers.get('cache-control')).toMatch(/^private, max-age=/)
    expect(digest(await bodyOf(followed))).toBe(digest(bytes))
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
    expect((await fetch(url, { headers: { range: 'bytes=5-9' } })).status).toBe(206)
  })

  it('never outlive the capability, nor an hour', async () => {
    const { url, expiresAtMs } = await redirecting.host(bytes, { atRest: 'plain' })
    const lifetimeAt = async (nowMs: number) => {
      redirecting.clock.nowMs = nowMs
      const location = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
      const signedAt =
        location.searchParams.get('X-Amz-Date')?.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? ''
      return { endsAtMs: Date.parse(signedAt) + Number(location.searchParams.get('X-Amz-Expires')) * 1_000, nowMs }
    }
    for (const before of [HOUR_MS, HOUR_MS - 1, 1_234_567, 60_001, 1_999, 1_000]) {
      const { endsAtMs, nowMs } = await lifetimeAt(expiresAtMs - before)
      expect(endsAtMs).toBeLessThanOrEqual(expiresAtMs)
      expect(endsAtMs).toBeLessThanOrEqual(nowMs + HOUR_MS)
      expect(endsAtMs).toBeGreaterThan(expiresAtMs - 3_000)
    }
    // No whole second is left: the gateway sends it itself.
    redirecting.clock.nowMs = expiresAtMs - 999
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(200)
    redirecting.clock.nowMs = expiresAtMs
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(410)
    redirecting.clock.nowMs = Date.now()
  })

  it('do not happen for what is sealed at rest', async () => {
    const { url } = await redirecting.host(bytes, { atRest: 'sealed' })
    const response = await fetch(url, { redirect: 'manual' })
    expect(response.status).toBe(200)
    expect(digest(await bodyOf(response))).toBe(digest(bytes))
  })
})

describe('the secret in the address', () => {
  it('is nowhere but there: not in answers, logs or metrics', async () => {
    const { url, capability } = await site.host(bytes)
    const answers = await Promise.all(
      [{}, { method: 'HEAD' }, { headers: { range: 'bytes=900000-' } }].map(async (init) => {
        const response = await fetch(url, init)
        return JSON.stringify([...response.headers]) + (response.status === 200 ? '' : await response.text())
      }),
    )
    site.clock.nowMs += 2 * HOUR_MS
    answers.push(await (await fetch(url)).text(), await (await fetch(`${url}x`)).text())
    site.clock.nowMs = Date.now()
    expect([...answers, site.logged(), await site.deps.metrics.registry.metrics()].join('\n')).not.toContain(
      capability.slice(0, 20),
    )
  })
})
