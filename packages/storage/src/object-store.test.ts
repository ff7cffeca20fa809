import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ObjectMissing, type ObjectStoreConfig, ObjectTooLarge, openObjectStore } from './object-store.ts'
import { startTestStore, type TestStore } from './testing/test-store.ts'

let server: TestStore
beforeAll(async () => {
  server = await startTestStore()
})
afterAll(() => server.remove())

const MAX = { maxBytes: 64 * 1024 * 1024 }
const nameOf = () => `requests/${randomUUID()}`

describe('an object store', () => {
  it.each([0, 1, 65_536, 5_000_000])('gives back %i bytes as they were', async (length) => {
    const key = nameOf()
    const bytes = randomBytes(length)
    await server.store.put(key, bytes)
    expect((await server.store.get(key, MAX)).equals(bytes)).toBe(true)
  })

  it('keeps the last of what is put under one key', async () => {
    const key = nameOf()
    await server.store.put(key, Buffer.from('first, and longer'))
    await server.store.put(key, Buffer.from('second'), { contentType: 'text/plain' })
    expect((await server.store.get(key, MAX)).toString()).toBe('second')
  })

  it('says by type that an object is not there: never was, or was deleted', async () => {
    const key = nameOf()
    await expect(server.store.get(key, MAX)).rejects.toBeInstanceOf(ObjectMissing)
    await server.store.put(key, Buffer.from('x'))
    await server.store.delete(key)
    await expect(server.store.get(key, MAX)).rejects.toBeInstanceOf(ObjectMissing)
    await server.store.delete(key)
  })

  it('reads up to its limit, inclusive, and says by type that an object is larger', async () => {
    const key = nameOf()
    await server.store.put(key, Buffer.alloc(1_000))
    expect(await server.store.get(key, { maxBytes: 1_000 })).toHaveLength(1_000)
    await expect(server.store.get(key, { maxBytes: 999 })).rejects.toBeInstanceOf(ObjectTooLarge)
  })

  it('gives back the connections of a hundred objects that were too large', async () => {
    const key = nameOf()
    await server.store.put(key, Buffer.alloc(2_000_000))
    const reads = await Promise.allSettled(Array.from({ length: 100 }, () => server.store.get(key, { maxBytes: 10 })))
    expect(reads.filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(await server.store.get(key, MAX)).toHaveLength(2_000_000)
  })

  it('lists what begins with a prefix, page by page, with the time of each', async () => {
    const folder = `listed/${randomUUID()}`
    const keys = Array.from({ length: 5 }, (_, index) => `${folder}/${index}`)
    const before = Date.now()
    for (const key of [...keys, `listed-too/${randomUUID()}`]) await server.store.put(key, Buffer.from('x'))
    const found: string[] = []
    let next: string | undefined
    do {
      const page = await server.store.list(`${folder}/`, { limit: 2, next })
      expect(page.objects.length).toBeLessThanOrEqual(2)
      for (const { key, modifiedAt } of page.objects) {
        found.push(key)
        // Stores keep whole seconds.
        expect(modifiedAt.getTime()).toBeGreaterThan(before - 2_000)
      }
      next = page.next
    } while (next !== undefined)
    expect(found).toEqual(keys)
    expect(await server.store.list('nobody/', { limit: 2 })).toEqual({ objects: [], next: undefined })
  })

  it('makes its bucket where it may, as often as it is asked', async () => {
    const other = openObjectStore({ ...server.config, bucket: `made-${randomUUID()}` })
    expect(await other.probe()).toBe(false)
    await other.ensureBucket()
    await other.ensureBucket()
    expect(await other.probe()).toBe(true)
    await other.put('a', Buffer.from('a'))
    expect((await other.get('a', MAX)).toString()).toBe('a')
    other.close()
  })

  it('answers no probe without its bucket or its credentials, and takes neither for a missing object', async () => {
    const noBucket = openObjectStore({ ...server.config, bucket: 'nobody-made-this' })
    const noRights = openObjectStore({ ...server.config, secretAccessKey: 'x'.repeat(40) })
    for (const store of [noBucket, noRights]) {
      expect(await store.probe()).toBe(false)
      const failure = await store.get('a', MAX).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toBeInstanceOf(ObjectMissing)
      store.close()
    }
  })

  it('answers a probe while the server is there, and only then', async () => {
    expect(await server.store.probe()).toBe(true)
    await server.stop()
    expect(await server.store.probe()).toBe(false)
    const failure = await server.store.get('a', MAX).catch((error: unknown) => error)
    expect(failure).not.toBeInstanceOf(ObjectMissing)
    await server.startAgain()
    await expect.poll(() => server.store.probe()).toBe(true)
  })
})

describe('a store that hangs', () => {
  async function against(
    listener: RequestListener,
    limits: Pick<ObjectStoreConfig, 'requestTimeoutMs' | 'idleTimeoutMs'>,
    use: (store: ReturnType<typeof openObjectStore>) => Promise<void>,
  ): Promise<void> {
    const hanging = createServer(listener)
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const store = openObjectStore({
      ...server.config,
      endpoint: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
      ...limits,
    })
    try {
      await use(store)
    } finally {
      store.close()
      hanging.closeAllConnections()
      hanging.close()
    }
  }

  const beginning: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('the beginning')
  }

  it('before its answer is given up', () =>
    against(
      () => {},
      { requestTimeoutMs: 200 },
      async (store) => {
        await expect(store.get('a', MAX)).rejects.toThrow()
        await expect(store.put('a', Buffer.from('x'))).rejects.toThrow()
        await expect(store.delete('a')).rejects.toThrow()
        expect(await store.probe()).toBe(false)
      },
    ))

  it('within an object is given up', () =>
    against(beginning, { requestTimeoutMs: 200 }, async (store) => {
      await expect(store.get('a', MAX)).rejects.toThrow()
    }))

  it('within a stream is given up', () =>
    against(beginning, { idleTimeoutMs: 2_000 }, async (store) => {
      const stream = await store.read('a')
      expect((await stream.next())?.toString()).toBe('the beginning')
      await expect(stream.next()).rejects.toThrow('the store stopped sending')
    }))

  it('is let go by a reader that is told to, at once', () =>
    against(beginning, {}, async (store) => {
      const stream = await store.read('a')
      await stream.next()
      const waiting = stream.next()
      stream.close()
      await expect(waiting).rejects.toThrow()
      const gone = new AbortController()
      gone.abort()
      await expect(store.read('a', { signal: gone.signal })).rejects.toThrow()
    }))

  it('or never ends is read to the limit and no further', () =>
    against(
      (_request, response) => {
        response.writeHead(200)
        const pump = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        }
        response.on('drain', pump)
        pump()
      },
      {},
      async (store) => {
        await expect(store.get('a', { maxBytes: 1_000_000 })).rejects.toBeInstanceOf(ObjectTooLarge)
      },
    ))
})
