import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { randomHex, startTestRedis, type TestRedis } from './testing/test-redis.ts'
import { type TotalClaims, totalClaims } from './total-claims.ts'

let server: TestRedis
let redis: Redis
let total: TotalClaims

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  total = totalClaims(redis)
})
afterAll(() => server.remove())
beforeEach(() => redis.flushall())

const claimOf = (fields: object = {}) => ({
  jobId: randomHex(32),
  amountAtomic: 10n,
  leaseMs: 60_000,
  ceilingAtomic: 100n,
  ...fields,
})

describe('the unsettled value of all payers', () => {
  it('is taken up to its ceiling, to the last atomic unit, by two hundred at once', async () => {
    const results = await Promise.all(Array.from({ length: 200 }, () => total.claim(claimOf())))
    expect(results.filter((result) => result === 'claimed')).toHaveLength(10)
    expect(results.filter((result) => result === 'exposure_limit')).toHaveLength(190)
    expect(await total.sum()).toBe(100n)
    expect(await total.claim(claimOf({ amountAtomic: 1n }))).toBe('exposure_limit')
  })

  it('counts a job once, and lets it stay above a ceiling that was lowered', async () => {
    const claim = claimOf({ amountAtomic: 100n })
    for (let time = 0; time < 3; time++) expect(await total.claim(claim)).toBe('claimed')
    expect(await total.claim({ ...claim, ceilingAtomic: 1n })).toBe('claimed')
    expect(await total.sum()).toBe(100n)
  })

  it('comes back when a job is released, once', async () => {
    const claim = claimOf({ amountAtomic: 60n })
    await total.claim(claim)
    await total.claim(claimOf({ amountAtomic: 40n }))
    await Promise.all([1, 2, 3].map(() => total.release(claim.jobId)))
    await total.release(randomHex(32))
    expect(await total.sum()).toBe(40n)
  })

  it('comes back by itself when a lease has run out, and not when it was extended', async () => {
    const kept = claimOf({ amountAtomic: 30n, leaseMs: 10_000 })
    await total.claim(kept)
    await total.extend(kept.jobId, 60_000)
    await total.extend(randomHex(32), 60_000)
    await total.claim(claimOf({ amountAtomic: 70n, leaseMs: 20 }))
    const [seconds] = await redis.time()
    expect(Number(await redis.zscore('ul:{all}', kept.jobId))).toBeGreaterThan(Number(seconds) * 1000 + 30_000)
    await expect.poll(() => total.claim(claimOf({ amountAtomic: 70n }))).toBe('claimed')
    expect(await total.sum()).toBe(100n)
    expect(await redis.zcard('ul:{all}')).toBe(2)
  })

  it('survives a Redis that forgets, without debt or credit', async () => {
    const claim = claimOf({ amountAtomic: 60n })
    await total.claim(claim)
    await redis.flushall()
    await redis.script('FLUSH')
    await total.extend(claim.jobId, 60_000)
    await total.release(claim.jobId)
    expect(await total.sum()).toBe(0n)
    expect(await total.claim(claimOf({ amountAtomic: 100n }))).toBe('claimed')
  })
})
