import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openRedis } from './redis.ts'
import { listenForReleases, type ReleaseAnnouncer, type ReleaseSignal, releaseAnnouncer } from './release-signal.ts'
import { randomKeyHash, startTestRedis, type TestRedis } from './testing/test-redis.ts'

let server: TestRedis
let announcer: ReleaseAnnouncer
let signal: ReleaseSignal

const LONG_MS = 60_000

beforeAll(async () => {
  server = await startTestRedis()
  announcer = releaseAnnouncer(await server.connect())
  signal = listenForReleases(await server.connect())
  await listening(signal)
})
afterAll(async () => {
  signal.close()
  await server.remove()
})

/** Until announcements arrive: subscribing is a round trip of its own. */
async function listening(which: ReleaseSignal): Promise<void> {
  const probe = randomKeyHash()
  await vi.waitFor(
    async () => {
      const heard = which.next(probe, 200)
      await announcer.announce(probe).catch(() => {})
      expect(await heard).toBe(true)
    },
    { timeout: 60_000 },
  )
}

describe('a release signal', () => {
  it('wakes everybody who waits for the key, and nobody else', async () => {
    const key = randomKeyHash()
    const stop = new AbortController()
    const others = signal.next(randomKeyHash(), LONG_MS, stop.signal)
    const waiting = Array.from({ length: 100 }, () => signal.next(key, LONG_MS))
    await announcer.announce(key)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]))
    stop.abort()
    expect(await others).toBe(false)
  })

  it('wakes waiters of every gateway', async () => {
    const other = listenForReleases(await server.connect())
    await listening(other)
    const key = randomKeyHash()
    const waiting = [signal.next(key, LONG_MS), other.next(key, LONG_MS)]
    await announcer.announce(key)
    expect(await Promise.all(waiting)).toEqual([true, true])
    other.close()
  })

  it('is false when the time is up, the client goes, or has gone before', async () => {
    const key = randomKeyHash()
    expect(await signal.next(key, 5)).toBe(false)
    const gone = new AbortController()
    const waiting = signal.next(key, LONG_MS, gone.signal)
    gone.abort()
    expect(await waiting).toBe(false)
    expect(await signal.next(key, LONG_MS, gone.signal)).toBe(false)
  })

  it('says nothing of what was announced before', async () => {
    const key = randomKeyHash()
    const heard = signal.next(key, LONG_MS)
    await announcer.announce(key)
    expect(await heard).toBe(true)
    expect(await signal.next(key, 50)).toBe(false)
  })

  it('lets everybody go when it is closed', async () => {
    const closing = listenForReleases(await server.connect())
    const waiting = [closing.next('a', LONG_MS), closing.next('a', LONG_MS), closing.next('b', LONG_MS)]
    closing.close()
    expect(await Promise.all(waiting)).toEqual([false, false, false])
  })

  it('is heard on a connection that was not yet made when it was given', async () => {
    const early = listenForReleases(openRedis(server.url, { name: 'test', onError: () => {} }))
    await listening(early)
    early.close()
  })

  it('is heard again after the server was away, by those who waited through it', async () => {
    const key = randomKeyHash()
    const waiting = signal.next(key, LONG_MS)
    await server.stop()
    await expect(announcer.announce(key)).rejects.toThrow()
    await server.startAgain()
    await listening(signal)
    await announcer.announce(key)
    expect(await waiting).toBe(true)
  })
})
