import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ExecutionClaims, executionClaims, MAX_STARTS } from './execution-claims.ts'
import { randomHex, startTestRedis, type TestRedis } from './testing/test-redis.ts'

let server: TestRedis
let redis: Redis
let executions: ExecutionClaims
let job: string

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  executions = executionClaims(redis)
})
afterAll(() => server.remove())
beforeEach(() => {
  job = randomHex(32)
})

const LEASE_MS = 60_000

async function startWhenFree(owner: string, leaseMs: number) {
  await expect.poll(async () => Number(await redis.hget(`x:{${job}}`, 'l')) <= Number(await nowMs())).toBe(true)
  return executions.start(job, owner, leaseMs)
}

async function nowMs(): Promise<number> {
  const [seconds, micros] = await redis.time()
  return Number(seconds) * 1000 + Number(micros) / 1000
}

describe('an execution', () => {
  it('starts in one of fifty workers', async () => {
    const starts = await Promise.all(Array.from({ length: 50 }, (_, worker) => executions.start(job, `w${worker}`, LEASE_MS)))
    expect(starts.filter(({ status }) => status === 'started')).toEqual([{ status: 'started', start: 1 }])
    const others = starts.filter((start) => start.status === 'running_elsewhere')
    expect(others).toHaveLength(49)
    for (const { retryInMs } of others) {
      expect(retryInMs).toBeGreaterThan(0)
      expect(retryInMs).toBeLessThanOrEqual(LEASE_MS)
    }
  })

  it('starts a second time after its lease, and never a third time', async () => {
    expect(MAX_STARTS).toBe(2)
    expect(await executions.start(job, 'a', 20)).toEqual({ status: 'started', start: 1 })
    expect(await startWhenFree('b', 20)).toEqual({ status: 'started', start: 2 })
    expect(await startWhenFree('c', 20)).toEqual({ status: 'too_many_starts' })
    expect(await executions.start(job, 'b', 20)).toEqual({ status: 'too_many_starts' })
  })

  it('counts a start of the same worker too', async () => {
    expect(await executions.start(job, 'a', LEASE_MS)).toEqual({ status: 'started', start: 1 })
    expect(await executions.start(job, 'a', LEASE_MS)).toEqual({ status: 'started', start: 2 })
    expect(await executions.start(job, 'a', LEASE_MS)).toEqual({ status: 'too_many_starts' })
  })

  it('is renewed by its owner only', async () => {
    await executions.start(job, 'a', 20)
    expect(await executions.renew(job, 'b', LEASE_MS)).toBe(false)
    expect(await executions.renew(job, 'a', LEASE_MS)).toBe(true)
    expect(await executions.start(job, 'b', LEASE_MS)).toMatchObject({ status: 'running_elsewhere' })
  })

  it('that went to another worker is no longer renewed by the first', async () => {
    await executions.start(job, 'a', 20)
    await startWhenFree('b', LEASE_MS)
    expect(await executions.renew(job, 'a', LEASE_MS)).toBe(false)
    expect(await executions.renew(job, 'b', LEASE_MS)).toBe(true)
  })

  it('that finished never starts again, whoever asks and even if its start was forgotten', async () => {
    await executions.start(job, 'a', LEASE_MS)
    await executions.finish(job)
    expect(await executions.start(job, 'a', LEASE_MS)).toEqual({ status: 'finished' })
    expect(await executions.start(job, 'b', LEASE_MS)).toEqual({ status: 'finished' })
    const forgotten = randomHex(32)
    await executions.finish(forgotten)
    expect(await executions.start(forgotten, 'a', LEASE_MS)).toEqual({ status: 'finished' })
  })

  it('is remembered longer than Kafka redelivers, and not for ever', async () => {
    await executions.start(job, 'a', LEASE_MS)
    expect(await redis.pttl(`x:{${job}}`)).toBeGreaterThan(6 * 3_600_000)
    await executions.finish(job)
    expect(await redis.pttl(`x:{${job}}`)).toBeGreaterThan(6 * 3_600_000)
  })

  it('that Redis forgot starts over, is not renewed, and survives forgotten scripts', async () => {
    await executions.start(job, 'a', LEASE_MS)
    await redis.flushall()
    await redis.script('FLUSH')
    expect(await executions.renew(job, 'a', LEASE_MS)).toBe(false)
    expect(await redis.exists(`x:{${job}}`)).toBe(0)
    expect(await executions.start(job, 'b', LEASE_MS)).toEqual({ status: 'started', start: 1 })
  })
})
