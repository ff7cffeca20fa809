import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BINDING_TTL_MS, type KeyClaims, keyClaims, type Quote, sameRequest } from './key-claims.ts'
import { randomHex, randomKeyHash, startTestRedis, type TestRedis } from './testing/test-redis.ts'

let server: TestRedis
let redis: Redis
let keys: KeyClaims
let key: string

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  keys = keyClaims(redis)
})
afterAll(() => server.remove())
beforeEach(() => {
  key = randomKeyHash()
})

const LEASE_MS = 60_000
const quote: Quote = { amountAtomic: 2_000n, catalogVersion: '2026-11-21.0a1b2c3d' }
const mine = randomHex(32)
const other = randomHex(32)
const payer = `0x${randomHex(20)}`
const claimOf = (fields: object = {}) => ({
  fingerprint: mine,
  quote,
  jobId: randomHex(32),
  payer,
  attempt: 0,
  leaseMs: LEASE_MS,
  token: randomHex(8),
  ...fields,
})

/** Until the lease that was just taken has run out. */
async function lapsed(keyHash: string): Promise<void> {
  await expect
    .poll(async () => {
      const record = await keys.read(keyHash)
      return record.state === 'in_flight' && record.leaseLeftMs <= 0
    })
    .toBe(true)
}

describe('a key that nobody used', () => {
  it('has no record', async () => {
    expect(await keys.read(key)).toEqual({ state: 'none' })
  })

  it('is bound to the first quote for an hour from its last use', async () => {
    expect(await keys.bind(key, mine, quote)).toMatchObject({ state: 'quoted', quote })
    expect(await keys.bind(key, mine, { ...quote, amountAtomic: 9_999n })).toMatchObject({ state: 'quoted', quote })
    const record = await keys.read(key)
    expect(record).toMatchObject({ state: 'quoted', quote })
    expect(record.state !== 'none' && sameRequest(record, mine)).toBe(true)
    expect(record.state !== 'none' && sameRequest(record, other)).toBe(false)

    await redis.pexpire(`k:r:{${key}}`, 1_000)
    await keys.bind(key, mine, quote)
    expect(await redis.pttl(`k:r:{${key}}`)).toBeGreaterThan(BINDING_TTL_MS - 10_000)
  })

  it('can be claimed at once, when its quote was lost', async () => {
    const claim = claimOf()
    expect(await keys.claim(key, claim)).toEqual({ status: 'claimed' })
    expect(await keys.read(key)).toMatchObject({ state: 'in_flight', quote, jobId: claim.jobId, payer, attempt: 0 })
  })
})

describe('a bound key', () => {
  beforeEach(() => keys.bind(key, mine, quote))

  it('is refused to another effective request, quoted or paid', async () => {
    const record = await keys.bind(key, other, quote)
    expect(sameRequest(record, mine) && !sameRequest(record, other)).toBe(true)
    expect(await keys.claim(key, claimOf({ fingerprint: other }))).toEqual({ status: 'reused' })
    await keys.unbind(key, other)
    expect(await keys.read(key)).toMatchObject({ state: 'quoted' })
    await keys.unbind(key, mine)
    expect(await keys.read(key)).toEqual({ state: 'none' })
  })

  it('is quoted anew when the catalog has changed', async () => {
    const later = { amountAtomic: 9_999n, catalogVersion: 'later' }
    expect(await keys.bind(key, mine, later)).toMatchObject({ state: 'quoted', quote: later })
    expect(await keys.read(key)).toMatchObject({ state: 'quoted', quote: later })
    expect(await keys.read(key)).toMatchObject({ state: 'quoted' })
  })

  it('costs less than 200 bytes, whatever its price', async () => {
    const expensive = randomKeyHash()
    await keys.bind(expensive, mine, { amountAtomic: 9_007_199_254_740_991n, catalogVersion: quote.catalogVersion })
    for (const each of [key, expensive]) {
      const bytes = Number(await redis.call('MEMORY', 'USAGE', `k:r:{${each}}`))
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(200)
    }
  })

  it('goes to one of fifty claims', async () => {
    const claims = Array.from({ length: 50 }, () => claimOf({ payer: `0x${randomHex(20)}` }))
    const results = await Promise.all(claims.map((claim) => keys.claim(key, claim)))
    const winners = results.filter(({ status }) => status === 'claimed')
    expect(winners).toHaveLength(1)
    expect(results.filter(({ status }) => status === 'held')).toHaveLength(49)
    const winner = claims[results.findIndex(({ status }) => status === 'claimed')]
    expect(await keys.read(key)).toMatchObject({ state: 'in_flight', jobId: winner?.jobId, payer: winner?.payer })
  })

  it('goes to one of fifty claims from ten connections', async () => {
    const replicas = await Promise.all(Array.from({ length: 10 }, async () => keyClaims(await server.connect())))
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => replicas[index % 10]?.claim(key, claimOf())))
    expect(results.filter((result) => result?.status === 'claimed')).toHaveLength(1)
  })
})

describe('a key in flight', () => {
  const claim = claimOf({ attempt: 2 })
  beforeEach(async () => {
    await keys.bind(key, mine, quote)
    await keys.claim(key, claim)
  })

  it('is held against everybody, its own job included, and keeps its lease', async () => {
    expect(await keys.claim(key, claimOf())).toEqual({ status: 'held' })
    expect(await keys.claim(key, claim)).toEqual({ status: 'held' })
    expect(await keys.claim(key, claimOf({ fingerprint: other }))).toEqual({ status: 'reused' })
    expect(await keys.bind(key, mine, quote)).toMatchObject({ state: 'in_flight', jobId: claim.jobId })
    expect(await keys.bind(key, other, quote)).toMatchObject({ state: 'in_flight', jobId: claim.jobId })
    await keys.unbind(key, mine)
    const record = await keys.read(key)
    expect(record).toMatchObject({ state: 'in_flight', jobId: claim.jobId, attempt: 2 })
    expect(record.state === 'in_flight' && record.leaseLeftMs > 0 && record.leaseLeftMs <= LEASE_MS).toBe(true)
  })

  it('outlives its lease by two hours, then goes', async () => {
    const ttl = await redis.pttl(`k:r:{${key}}`)
    expect(ttl).toBeGreaterThan(LEASE_MS + 7_190_000)
    expect(ttl).toBeLessThanOrEqual(LEASE_MS + 7_200_000)
  })

  it('is extended and given back by its own claim only', async () => {
    const stranger = randomHex(32)
    expect(await keys.extend(key, stranger, 9 * LEASE_MS)).toBe(false)
    expect(await keys.giveBack(key, stranger)).toBe(false)
    expect(await keys.giveBack(key, claim.jobId)).toBe(false)
    const record = await keys.read(key)
    expect(record.state === 'in_flight' && record.leaseLeftMs <= LEASE_MS && record.jobId === claim.jobId).toBe(true)

    expect(await keys.extend(key, claim.token, 9 * LEASE_MS)).toBe(true)
    const extended = await keys.read(key)
    expect(extended.state === 'in_flight' && extended.leaseLeftMs > 8 * LEASE_MS).toBe(true)
  })

  it('given back is quoted as before, for an hour, and can be claimed anew', async () => {
    expect(await keys.giveBack(key, claim.token)).toBe(true)
    expect(await keys.read(key)).toEqual({ state: 'quoted', fingerprint: expect.any(String), quote })
    expect(await redis.pttl(`k:r:{${key}}`)).toBeLessThanOrEqual(BINDING_TTL_MS)
    expect(Number(await redis.call('MEMORY', 'USAGE', `k:r:{${key}}`))).toBeLessThan(200)
    expect(await keys.extend(key, claim.token, LEASE_MS)).toBe(false)
    expect(await keys.read(key)).toMatchObject({ state: 'quoted' })
    expect(await keys.claim(key, claimOf())).toEqual({ status: 'claimed' })
  })
})

describe('a lapsed lease', () => {
  it('goes to one of many who come for it, and the late first holder changes nothing', async () => {
    const first = claimOf({ leaseMs: 20 })
    await keys.bind(key, mine, quote)
    await keys.claim(key, first)
    await lapsed(key)
    expect(await keys.bind(key, mine, quote)).toMatchObject({ state: 'in_flight', jobId: first.jobId })

    const results = await Promise.all(Array.from({ length: 50 }, () => keys.claim(key, claimOf({ attempt: 1 }))))
    expect(results.filter(({ status }) => status === 'claimed')).toHaveLength(1)
    const held = await keys.read(key)
    expect(await keys.extend(key, first.token, 9 * LEASE_MS)).toBe(false)
    expect(await keys.giveBack(key, first.token)).toBe(false)
    expect(await keys.read(key)).toMatchObject({
      state: 'in_flight',
      attempt: 1,
      jobId: held.state === 'in_flight' && held.jobId,
    })
  })

  it('may be taken again by the same job, which then is published again', async () => {
    const claim = claimOf({ leaseMs: 20 })
    await keys.claim(key, claim)
    await lapsed(key)
    expect(await keys.claim(key, { ...claim, leaseMs: LEASE_MS, token: 'anew' })).toEqual({ status: 'claimed' })
    // The first holder was slow, not dead: what it gives back now is not its own any more.
    expect(await keys.giveBack(key, claim.token)).toBe(false)
    expect(await keys.extend(key, 'anew', LEASE_MS)).toBe(true)
  })

  it('stays refused to another effective request', async () => {
    await keys.claim(key, claimOf({ leaseMs: 20 }))
    await lapsed(key)
    expect(await keys.claim(key, claimOf({ fingerprint: other }))).toEqual({ status: 'reused' })
  })
})

describe('a Redis that forgets', () => {
  it('everything: what its holder does then changes nothing, and the key starts over', async () => {
    const claim = claimOf()
    await keys.claim(key, claim)
    await redis.flushall()
    await keys.extend(key, claim.token, LEASE_MS)
    await keys.giveBack(key, claim.token)
    expect(await redis.dbsize()).toBe(0)
    expect(await keys.bind(key, other, quote)).toMatchObject({ state: 'quoted', quote })
  })

  it('in the middle of a hundred claims: at most one more winner than without', async () => {
    const claims = Array.from({ length: 100 }, (_, index) =>
      index === 50 ? redis.flushall().then(() => undefined) : keys.claim(key, claimOf()),
    )
    const results = await Promise.all(claims)
    expect(results.filter((result) => result?.status === 'claimed').length).toBeLessThanOrEqual(2)
    expect(await keys.claim(key, claimOf())).not.toEqual({ status: 'reused' })
  })

  it('its scripts: they are loaded again, in a crowd too', async () => {
    await keys.bind(key, mine, quote)
    await redis.script('FLUSH')
    const results = await Promise.all(Array.from({ length: 50 }, () => keys.claim(key, claimOf())))
    expect(results.filter(({ status }) => status === 'claimed')).toHaveLength(1)
    await redis.script('FLUSH')
    expect(await keys.read(key)).toMatchObject({ state: 'in_flight' })
  })
})

describe('a key whose earlier attempt failed', () => {
  it('is claimed by the next attempt although the lease of the earlier one has not run out, and by nobody behind it', async () => {
    expect(await keys.claim(key, claimOf())).toEqual({ status: 'claimed' })
    expect(await keys.claim(key, claimOf())).toEqual({ status: 'held' })
    expect(await keys.claim(key, claimOf({ attempt: 1 }))).toEqual({ status: 'claimed' })
    expect(await keys.claim(key, claimOf({ attempt: 1 }))).toEqual({ status: 'held' })
    expect(await keys.claim(key, claimOf())).toEqual({ status: 'held' })
  })
})
