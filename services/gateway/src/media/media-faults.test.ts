import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { readMediaCapability } from '@turnpike/sealing'
import { mediaKeyOf, mediaObjectOf, type ObjectStore, type ObjectStream } from '@turnpike/storage'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MediaDeps } from './media-deps.ts'
import { serveMedia } from './testing/serve-media.ts'
import { startTestStore, type TestStore } from './testing/test-store.ts'

let server: TestStore
beforeAll(async () => {
  server = await startTestStore()
})
afterAll(() => server.remove())

const bytes = randomBytes(2_000_000)

/** The route on a store of which the test breaks the reading side. */
async function siteOn(read: (real: ObjectStore['read']) => ObjectStore['read'], options: Partial<MediaDeps> = {}) {
  const site = await serveMedia({ ...server.store, read: read(server.store.read) }, options)
  onTestFinished(() => site.close())
  return site
}

/** Streams of which it is known how far they were read and whether they were given up. */
function watchedStreams(each: (stream: ObjectStream) => ObjectStream = (stream) => stream) {
  const streams: { readBytes: number; closed: boolean }[] = []
  const read =
    (real: ObjectStore['read']): ObjectStore['read'] =>
    async (...request) => {
      const stream = each(await real(...request))
      const watched = { readBytes: 0, closed: false }
      streams.push(watched)
      return {
        ...stream,
        async next() {
          const chunk = await stream.next()
          watched.readBytes += chunk?.length ?? 0
          return chunk
        },
        close() {
          watched.closed = true
          stream.close()
        },
      }
    }
  return { streams, read }
}

/** An answer that nobody reads until the test does. */
function ask(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get(url, { agent: false }, resolve).on('error', reject))
}

describe('a store that is away', () => {
  it('is a 503 that may be tried again', async () => {
    const site = await siteOn(() => () => Promise.reject(new Error('connect ECONNREFUSED')))
    const { url, capability } = await site.host(bytes)
    const response = await fetch(url)
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'true'])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.json()).toMatchObject({ error: { code: 'dependency_unavailable' } })
    expect(site.logged()).toContain('could not be read')
    expect(site.logged()).not.toContain(capability.slice(0, 20))
  })

  it('is a 503 also when it breaks off before the first bytes are authentic', async () => {
    for (const at of [0, 1, 2]) {
      let reads = 0
      const { read } = watchedStreams((stream) => ({
        ...stream,
        next: () =>
          reads++ >= at ? Promise.reject(new Error('socket hang up')) : stream.next().then((chunk) => chunk?.subarray(0, 100)),
      }))
      const site = await siteOn(read)
      expect((await fetch((await site.host(bytes)).url)).status, `after ${at}`).toBe(503)
    }
  })

  it('is not waited for while it is known to be away', async () => {
    const reads = vi.fn()
    const site = await siteOn(
      () =>
        (...request) => {
          reads(...request)
          return Promise.reject(new Error('away'))
        },
      { mediaStoreIsUp: () => false },
    )
    expect((await fetch((await site.host(bytes)).url)).status).toBe(503)
    expect(reads).not.toHaveBeenCalled()
  })

  it('does not make unknown or expired files look like anything else', async () => {
    const site = await siteOn(() => () => Promise.reject(new Error('away')))
    const { url, expiresAtMs } = await site.host(bytes)
    expect((await fetch(`${url}x`)).status).toBe(404)
    site.clock.nowMs = expiresAtMs
    expect((await fetch(url)).status).toBe(410)
  })
})

describe('a store that breaks off in the middle', () => {
  it('breaks the connection: half a file never looks whole', async () => {
    const { read } = watchedStreams((stream) => {
      let left = 300_000
      return {
        ...stream,
        async next() {
          const chunk = await stream.next()
          left -= chunk?.length ?? 0
          if (left < 0) throw new Error('socket hang up')
          return chunk
        },
      }
    })
    const site = await siteOn(read)
    const response = await fetch((await site.host(bytes)).url)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(site.logged()).toContain('could not be read')
  })
})

describe('a file that was altered where it lies', () => {
  async function altered(at: number) {
    const site = await siteOn((real) => real)
    const hosted = await site.host(bytes)
    const claim = readMediaCapability(site.deps.mediaCapabilityKeys, hosted.capability)
    const object = claim && mediaObjectOf(claim)
    if (object === undefined) throw new Error('not a capability')
    const stored = await server.store.get(mediaKeyOf(object), { maxBytes: 3_000_000 })
    stored[at] = (stored[at] ?? 0) ^ 1
    await server.store.put(mediaKeyOf(object), stored)
    return { site, url: hosted.url }
  }

  it.each([10, 1_000])('at byte %i is a defect, not a file', async (at) => {
    const { site, url } = await altered(at)
    const response = await fetch(url)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { code: 'internal_error' } })
    expect(site.logged()).toContain('altered')
  })

  it('further on ends in the middle, before the altered bytes', async () => {
    const { url } = await altered(1_000_000)
    const response = await ask(url)
    const received: Buffer[] = []
    response.on('data', (chunk: Buffer) => received.push(chunk))
    await new Promise((resolve) => response.once('close', resolve))
    const content = Buffer.concat(received)
    expect(response.complete).toBe(false)
    expect(content.equals(bytes.subarray(0, content.length))).toBe(true)
    expect(content.length).toBeLessThan(1_000_000)
  })
})

describe('a client', () => {
  it('that goes away gives up the connection to the store', async () => {
    const { streams, read } = watchedStreams()
    const site = await siteOn(read)
    const response = await ask((await site.host(randomBytes(20_000_000))).url)
    response.destroy()
    await expect.poll(() => streams).toEqual([{ readBytes: expect.any(Number), closed: true }])
    await expect.poll(() => site.deps.metrics.registry.metrics()).toMatch(/downloads_total\{end="client_gone".*\} 1/)
    expect(await site.deps.metrics.registry.metrics()).toMatch(/downloads_running\{.*\} 0/)
    expect(site.logged()).toBe('')
  })

  it('that goes away while the store is silent gives it up at once', async () => {
    const { streams, read } = watchedStreams((stream) => {
      let giveUp = (_error: Error): void => {}
      return {
        ...stream,
        next: () => new Promise((_resolve, reject) => (giveUp = reject)),
        close: () => giveUp(new Error('aborted')),
      }
    })
    const site = await siteOn(read)
    const request = get((await site.host(bytes)).url, { agent: false }).on('error', () => {})
    await expect.poll(() => streams).toHaveLength(1)
    request.destroy()
    await expect.poll(() => streams[0]?.closed).toBe(true)
    await expect.poll(() => site.deps.metrics.registry.metrics()).toMatch(/downloads_running\{.*\} 0/)
  })

  it('that does not read makes the store wait, not the memory grow', async () => {
    const { streams, read } = watchedStreams()
    const site = await siteOn(read)
    const size = 40_000_000
    const { url } = await site.host(randomBytes(size))
    const response = await ask(url)
    // What the two sockets and one segment hold; then nothing moves until the client reads.
    let before = -1
    const stands = () => {
      const last = before
      before = streams[0]?.readBytes ?? 0
      return before > 0 && before === last
    }
    await expect.poll(stands, { interval: 300 }).toBe(true)
    expect(before).toBeLessThan(size / 2)
    let received = 0
    for await (const chunk of response) received += (chunk as Buffer).length
    expect(received).toBe(size)
  })

  it('beyond the last place waits for one, by a 503', async () => {
    const { read } = watchedStreams()
    const site = await siteOn(read, { maxMediaDownloads: 2 })
    const { url } = await site.host(randomBytes(20_000_000))
    const running = [await ask(url), await ask(url)]
    const refused = await fetch(url)
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([503, 'overloaded'])
    for (const response of running) response.destroy()
    await expect.poll(async () => (await fetch(url, { method: 'HEAD' })).status).toBe(200)
  })
})

it('A file is not asked for when its address says that nobody may have it', async () => {
  const reads = vi.fn()
  const site = await siteOn((real) => (...request) => {
    reads()
    return real(...request)
  })
  const { url, expiresAtMs } = await site.host(bytes)
  await fetch(`${url}x`)
  site.clock.nowMs = expiresAtMs
  await fetch(url)
  expect(reads).not.toHaveBeenCalled()
})
