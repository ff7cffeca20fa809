import type { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AudioKeys, audioKeys } from './audio-keys.ts'
import { randomHex, startTestRedis, type TestRedis } from './testing/test-redis.ts'

let server: TestRedis
let redis: Redis
let keys: AudioKeys

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  keys = audioKeys(redis)
})
afterAll(() => server.remove())

it('keeps a data key under one name, for its lifetime and not a moment longer', async () => {
  const id = randomHex(32)
  await keys.keep(id, 'wrapped', 60_000)
  expect(await keys.find(id)).toBe('wrapped')
  expect(await redis.keys(`*${id}*`)).toEqual([`a:{${id}}`])
  const leftMs = await redis.pttl(`a:{${id}}`)
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(60_000)
  await keys.keep(id, 'wrapped', 20)
  await expect.poll(() => keys.find(id)).toBeUndefined()
})

it('forgets at once when told to, also what is not there', async () => {
  const id = randomHex(32)
  await keys.keep(id, 'wrapped', 60_000)
  await keys.forget(id)
  await keys.forget(id)
  expect(await keys.find(id)).toBeUndefined()
})

it('says that Redis is away, which is not the same as gone', async () => {
  const id = randomHex(32)
  await keys.keep(id, 'wrapped', 60_000)
  await server.stop()
  await expect(keys.find(id)).rejects.toThrow()
})
