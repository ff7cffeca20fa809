import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestRedis, type TestRedis } from './testing/test-redis.ts'
import { type ClosedTarget, closedUpstreams, type UpstreamHealth, upstreamHealth } from './upstream-health.ts'

const KEY = 'h:{upstreams}'
const TARGET = { model: 'gm-2.5-flash', index: 0, of: 2 }
const OTHER = { model: 'el/flash-v2.5', index: 1, of: 2 }
const REPORT = { code: 'provider_unavailable', leastMs: 60_000, mostMs: 600_000, failingForMs: 0 } as const
const LEASE_MS = 60_000

let server: TestRedis
let redis: Redis
let health: UpstreamHealth
let neighbour: UpstreamHealth
let closedTargets: () => Promise<ClosedTarget[]>

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  health = upstreamHealth(redis, 'worker-1')
  neighbour = upstreamHealth(redis, 'worker-2')
  closedTargets = closedUpstreams(redis)
})
afterAll(() => server.remove())
beforeEach(() => redis.flushall())

async function openFor(leastMs: number, target = TARGET) {
  return health.open(target, { ...REPORT, leastMs })
}
/** Opened, and its time over. */
async function openedBefore(target = TARGET) {
  await openFor(1, target)
  await expect.poll(() => closedTargets()).toEqual([])
}

describe('an upstream target', () => {
  it('is closed to clients from its opening until its time is over', async () => {
    expect(await closedTargets()).toEqual([])
    expect(await openFor(60_000)).toEqual({ status: 'open', forMs: 60_000 })
    await health.open(OTHER, { ...REPORT, code: 'provider_overloaded', leastMs: 30_000 })
    const closed = await closedTargets()
    expect(closed).toEqual([
      { ...TARGET, code: 'provider_unavailable', forMs: expect.any(Number) },
      { ...OTHER, code: 'provider_overloaded', forMs: expect.any(Number) },
    ])
    expect(closed.map(({ forMs }) => forMs > 25_000)).toEqual([true, true])
    await redis.del(KEY)
    await openedBefore()
  })

  it('stays open once, however many processes open it at a time', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => openFor(60_000)))
    for (const reply of replies) expect(reply).toMatchObject({ status: 'open', forMs: expect.closeTo(60_000, -4) })
    expect(JSON.parse((await redis.hget(KEY, 'gm-2.5-flash#0')) ?? '')).toMatchObject({ n: 1 })
  })

  it('stays open twice as long each time in a row, up to the longest, and starts anew after an answer', async () => {
    const lengths: number[] = []
    for (let n = 0; n < 4; n++) {
      const opened = await health.open(TARGET, { ...REPORT, leastMs: 10, mostMs: 50 })
      lengths.push(opened.status === 'open' ? opened.forMs : 0)
      await expect.poll(() => closedTargets()).toEqual([])
    }
    expect(lengths).toEqual([10, 20, 40, 50])
    await health.answered(TARGET)
    expect(await openFor(10)).toEqual({ status: 'open', forMs: 10 })
  })

  it('is opened to everybody by the answer that anybody got', async () => {
    await openFor(60_000)
    await neighbour.answered(TARGET)
    expect(await closedTargets()).toEqual([])
    expect(await health.startProbe(TARGET, 'a', LEASE_MS)).toEqual({ status: 'closed' })
  })

  it('is not closed to everybody by a process that it alone does not answer, however fast that fails', async () => {
    await neighbour.answered(TARGET)
    expect(await health.open(TARGET, { ...REPORT, failingForMs: 0 })).toEqual({ status: 'answers_others' })
    expect(await health.open(TARGET, { ...REPORT, failingForMs: 60_000 })).toEqual({ status: 'answers_others' })
    expect(await closedTargets()).toEqual([])
    await health.answered(TARGET)
    expect(await openFor(60_000)).toMatchObject({ status: 'open' })
  })

  it('is closed when the answers of others lie further back than the failures', async () => {
    await neighbour.answered(TARGET)
    const field = 'gm-2.5-flash#0'
    const { a: answeredMs, ...rest } = JSON.parse((await redis.hget(KEY, field)) ?? '') as { a: number }
    await redis.hset(KEY, field, JSON.stringify({ ...rest, a: answeredMs - 5_000 }))
    expect(await health.open(TARGET, { ...REPORT, failingForMs: 20_000 })).toEqual({ status: 'answers_others' })
    expect(await health.open(TARGET, { ...REPORT, failingForMs: 4_000 })).toMatchObject({ status: 'open' })
  })

  it('that is unknown, or that Redis forgot, is closed to nobody', async () => {
    await openFor(60_000)
    await redis.flushall()
    await redis.script('FLUSH')
    expect(await closedTargets()).toEqual([])
    expect(await health.startProbe(TARGET, 'a', LEASE_MS)).toEqual({ status: 'closed' })
    await health.renewProbe(TARGET, 'a', LEASE_MS)
    await health.endProbe(TARGET, 'a')
    expect(await redis.exists(KEY)).toBe(0)
  })

  it('is not remembered for ever', async () => {
    await openFor(60_000)
    expect(await redis.pttl(KEY)).toBeGreaterThan(600_000)
  })
})

describe('a probe', () => {
  it('does not start before the open period is over', async () => {
    await openFor(60_000)
    expect(await health.startProbe(TARGET, 'a', LEASE_MS)).toMatchObject({ status: 'wait', forMs: expect.closeTo(60_000, -4) })
  })

  it('is one of fifty, and nothing is sold while it runs', async () => {
    await openedBefore()
    const asked = await Promise.all(Array.from({ length: 50 }, (_, n) => health.startProbe(TARGET, `p${n}`, LEASE_MS)))
    expect(asked.filter(({ status }) => status === 'started')).toHaveLength(1)
    expect(asked.filter(({ status }) => status === 'wait')).toHaveLength(49)
    expect(await closedTargets()).toMatchObject([TARGET])
  })

  it('that fails opens the target again, for longer; one that is answered opens it to everybody', async () => {
    await openedBefore()
    await health.startProbe(TARGET, 'a', LEASE_MS)
    expect(await openFor(30_000)).toEqual({ status: 'open', forMs: 60_000 })
    await redis.del(KEY)
    await openedBefore()
    await health.startProbe(TARGET, 'b', LEASE_MS)
    await health.answered(TARGET)
    expect(await closedTargets()).toEqual([])
  })

  it('that found nothing out leaves its place, and only its own', async () => {
    await openedBefore()
    await health.startProbe(TARGET, 'a', LEASE_MS)
    await health.endProbe(TARGET, 'b')
    expect(await health.startProbe(TARGET, 'b', LEASE_MS)).toMatchObject({ status: 'wait' })
    await health.endProbe(TARGET, 'a')
    expect(await health.startProbe(TARGET, 'b', LEASE_MS)).toEqual({ status: 'started' })
  })

  it('of a process that died makes room after its lease; one that is renewed does not', async () => {
    await openedBefore()
    await health.startProbe(TARGET, 'a', 20)
    await expect.poll(() => health.startProbe(TARGET, 'b', LEASE_MS)).toEqual({ status: 'started' })
    await health.renewProbe(TARGET, 'a', 1)
    expect(await health.startProbe(TARGET, 'c', LEASE_MS)).toMatchObject({ status: 'wait', forMs: expect.closeTo(60_000, -4) })
    await health.renewProbe(TARGET, 'b', 1)
    await expect.poll(() => health.startProbe(TARGET, 'c', LEASE_MS)).toEqual({ status: 'started' })
  })
})
