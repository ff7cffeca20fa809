import { randomInt } from 'node:crypto'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PayerClaim, type PayerClaims, payerClaims } from './payer-claims.ts'
import { randomHex, startTestRedis, type TestRedis } from './testing/test-redis.ts'

let server: TestRedis
let redis: Redis
let payers: PayerClaims
let payer: string

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
  payers = payerClaims(redis)
})
afterAll(() => server.remove())
beforeEach(() => {
  payer = `0x${randomHex(20)}`
})

const LEASE_MS = 60_000
const nonceOf = () => `0x${randomHex(32)}`

function claimOf(fields: Partial<PayerClaim> = {}): PayerClaim {
  return {
    payer,
    nonce: nonceOf(),
    jobId: randomHex(32),
    belongsTo: 'key:request',
    amountAtomic: 10n,
    leaseMs: LEASE_MS,
    authorizationMs: 600_000,
    balance: { atomic: 100n, version: '0' },
    ...fields,
  }
}

async function sumOf(): Promise<number> {
  return Number((await redis.hget(`p:{${payer}}`, 'sum')) ?? 0)
}

describe('exposure', () => {
  it('is taken up to the balance, to the last atomic unit', async () => {
    expect(await payers.claim(claimOf({ amountAtomic: 60n }))).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 41n }))).toEqual({ status: 'insufficient_funds' })
    expect(await payers.claim(claimOf({ amountAtomic: 40n }))).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 1n }))).toEqual({ status: 'insufficient_funds' })
    expect(await sumOf()).toBe(100)
  })

  it('is counted once for one job, however often it is claimed', async () => {
    const claim = claimOf({ amountAtomic: 100n })
    const results = await Promise.all(Array.from({ length: 50 }, () => payers.claim(claim)))
    expect(results.every(({ status }) => status === 'claimed')).toBe(true)
    expect(await sumOf()).toBe(100)
  })

  it('is forgotten as a whole or not at all: sum, leases and amounts are kept equally long', async () => {
    const [first, second] = [claimOf(), claimOf()]
    for (const claim of [first, second]) await payers.claim(claim)
    const keys = [`p:{${payer}}`, `pl:{${payer}}`, `pa:{${payer}}`]
    for (const key of keys) await redis.pexpire(key, 60_000)
    await payers.release({ ...first, settled: true })
    const [sum, leases, amounts] = await Promise.all(keys.map((key) => redis.pexpiretime(key)))
    expect([leases, amounts]).toEqual([sum, sum])
    expect(await redis.pttl(keys[0] ?? '')).toBeGreaterThan(60_000)
  })

  it('comes back when it is released, once', async () => {
    const claim = claimOf({ amountAtomic: 100n })
    await payers.claim(claim)
    await payers.claim(claimOf({ amountAtomic: 0n }))
    await Promise.all([1, 2, 3].map(() => payers.release({ payer, jobId: claim.jobId, settled: false })))
    await payers.release({ payer, jobId: randomHex(32), settled: false })
    expect(await sumOf()).toBe(0)
    expect(await payers.version(payer)).toBe('0')
    expect(await payers.claim(claimOf({ amountAtomic: 100n }))).toEqual({ status: 'claimed' })
  })

  it('comes back by itself when its lease has run out', async () => {
    await payers.claim(claimOf({ amountAtomic: 100n, leaseMs: 20 }))
    await expect.poll(async () => (await payers.claim(claimOf({ amountAtomic: 100n }))).status).toBe('claimed')
    expect(await sumOf()).toBe(100)
  })

  it('is kept by extending the lease, and an extension of nothing is nothing', async () => {
    const claim = claimOf({ amountAtomic: 100n, leaseMs: 1_000 })
    await payers.claim(claim)
    await payers.extend(payer, claim.jobId, LEASE_MS)
    const score = Number(await redis.zscore(`pl:{${payer}}`, claim.jobId))
    const [seconds] = await redis.time()
    expect(score).toBeGreaterThan(Number(seconds) * 1000 + LEASE_MS - 10_000)
    await payers.extend(payer, randomHex(32), LEASE_MS)
    expect(await redis.zcard(`pl:{${payer}}`)).toBe(1)
  })

  it('of a job that is paid by a new signature takes the place of the old one', async () => {
    const claim = claimOf({ amountAtomic: 80n })
    await payers.claim(claim)
    expect(await payers.claim({ ...claim, nonce: nonceOf() })).toEqual({ status: 'claimed' })
    expect(await sumOf()).toBe(80)
    const shrunk = { atomic: 79n, version: '0' }
    expect(await payers.claim({ ...claim, nonce: nonceOf(), balance: shrunk })).toEqual({ status: 'insufficient_funds' })
    expect(await sumOf()).toBe(80)
  })

  it('ends at the ceiling of a payer, whatever its balance; what is counted already stays', async () => {
    const ceilingAtomic = 50n
    const claim = claimOf({ amountAtomic: 50n, ceilingAtomic })
    expect(await payers.claim(claim)).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 1n, ceilingAtomic }))).toEqual({ status: 'exposure_limit' })
    expect(await payers.claim({ ...claim, ceilingAtomic: 10n })).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 1n }))).toEqual({ status: 'claimed' })
    expect(await sumOf()).toBe(51)
  })

  it('of one payer is nothing to another', async () => {
    await payers.claim(claimOf({ amountAtomic: 100n }))
    expect(await payers.claim(claimOf({ payer: `0x${randomHex(20)}`, amountAtomic: 100n }))).toEqual({ status: 'claimed' })
  })

  it('is exact for amounts and balances of any wallet', async () => {
    const balance = { atomic: 10n ** 24n, version: '0' }
    expect(await payers.claim(claimOf({ amountAtomic: 9_007_199_254_740_000n, balance }))).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 991n, balance }))).toEqual({ status: 'claimed' })
    expect(await payers.claim(claimOf({ amountAtomic: 1n, balance }))).toEqual({ status: 'insufficient_funds' })
  })

  it('leaves nothing behind that stays for ever', async () => {
    const claim = claimOf()
    await payers.claim(claim)
    await payers.release({ payer, jobId: claim.jobId, settled: true })
    const names = await redis.keys(`*${payer}*`)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(await redis.pttl(name), name).toBeGreaterThan(0)
  })
})

describe('a balance', () => {
  it('that was read before a settlement is refused', async () => {
    const first = claimOf({ amountAtomic: 60n })
    await payers.claim(first)
    const version = await payers.version(payer)
    await payers.release({ payer, jobId: first.jobId, settled: true })
    expect(await payers.claim(claimOf({ amountAtomic: 60n, balance: { atomic: 100n, version } }))).toEqual({
      status: 'stale_balance',
    })
    expect(
      await payers.claim(claimOf({ amountAtomic: 40n, balance: { atomic: 40n, version: await payers.version(payer) } })),
    ).toEqual({
      status: 'claimed',
    })
  })

  it('never counts twice, with 200 claims from four replicas among settlements', async () => {
    const replicas = await Promise.all(Array.from({ length: 4 }, async () => payerClaims(await server.connect())))
    let chain = 1_000n
    let inFlight = 0n
    let settled = 0
    let refused = 0
    const passed: string[] = []

    async function pay(replica: PayerClaims): Promise<void> {
      const amountAtomic = BigInt(randomInt(1, 40))
      const [nonce, jobId] = [nonceOf(), randomHex(32)]
      while (true) {
        const version = await replica.version(payer)
        const atomic = chain
        await replica.version(payer) // the balance takes a round trip too
        const { status } = await replica.claim(
          claimOf({ nonce, jobId, amountAtomic, belongsTo: nonce, balance: { atomic, version } }),
        )
        if (status === 'stale_balance') continue
        if (status === 'insufficient_funds') {
          refused++
          return
        }
        inFlight += amountAtomic
        if (inFlight > chain) passed.push(`${inFlight} in flight of ${chain}`)
        for (let work = randomInt(5); work > 0; work--) await replica.version(payer)
        // As the ledger does it: the transfer, then the release. In between the amount counts on both sides, which errs to the safe one.
        const settles = randomInt(4) > 0
        if (settles) chain -= amountAtomic
        inFlight -= amountAtomic
        await replica.version(payer)
        await replica.release({ payer, jobId, settled: settles })
        if (settles) settled++
        return
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, index) => pay(replicas[index % 4] as PayerClaims)))

    expect(passed).toEqual([])
    expect(chain).toBeGreaterThanOrEqual(0n)
    expect(settled).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(10)
    expect(await payers.version(payer)).toBe(String(settled))
    expect(await sumOf()).toBe(0)
    expect(await redis.zcard(`pl:{${payer}}`)).toBe(0)
  })
})

describe('an authorization', () => {
  it('belongs to the first request that claimed it, of fifty at once', async () => {
    const nonce = nonceOf()
    const requests = Array.from({ length: 50 }, (_, index) => `key-${index}:request`)
    const results = await Promise.all(requests.map((belongsTo) => payers.claim(claimOf({ nonce, belongsTo }))))
    expect(results.filter(({ status }) => status === 'claimed')).toHaveLength(1)
    expect(results.filter(({ status }) => status === 'already_used')).toHaveLength(49)
    expect(await sumOf()).toBe(10)
  })

  it('stays with it after a release and after its lease, as long as it can be paid', async () => {
    const claim = claimOf({ leaseMs: 20 })
    await payers.claim(claim)
    await payers.release({ payer, jobId: claim.jobId, settled: false })
    expect(await payers.claim({ ...claim, belongsTo: 'another' })).toEqual({ status: 'already_used' })
    expect(await payers.claim(claim)).toEqual({ status: 'claimed' })
    expect(await redis.pttl(`pn:{${payer}}:${claim.nonce}`)).toBeGreaterThan(590_000)
  })

  it('that was refused belongs to nobody', async () => {
    const claim = claimOf({ amountAtomic: 101n })
    expect(await payers.claim(claim)).toEqual({ status: 'insufficient_funds' })
    expect(await payers.claim({ ...claim, balance: { atomic: 200n, version: 'old' } })).toEqual({ status: 'stale_balance' })
    expect(await payers.claim({ ...claim, belongsTo: 'another', balance: { atomic: 200n, version: '0' } })).toEqual({
      status: 'claimed',
    })
  })

  it('of another payer with the same nonce is another', async () => {
    const claim = claimOf()
    await payers.claim(claim)
    expect(await payers.claim({ ...claim, payer: `0x${randomHex(20)}`, belongsTo: 'another' })).toEqual({ status: 'claimed' })
  })

  it('that has expired by our clock is claimed without a fault, and goes', async () => {
    const claim = claimOf({ authorizationMs: -5_000 })
    expect(await payers.claim(claim)).toEqual({ status: 'claimed' })
    await expect.poll(() => redis.exists(`pn:{${payer}}:${claim.nonce}`)).toBe(0)
  })
})

describe('an authorization that only proved its payer', () => {
  it('pays for no other request, and stays with the first one that it arrived with', async () => {
    const nonce = nonceOf()
    await payers.bind({ payer, nonce, belongsTo: 'mine', authorizationMs: 60_000 })
    await payers.bind({ payer, nonce, belongsTo: 'other', authorizationMs: 60_000 })
    expect(await payers.claim(claimOf({ nonce, belongsTo: 'other' }))).toEqual({ status: 'already_used' })
    expect(await payers.claim(claimOf({ nonce, belongsTo: 'mine' }))).toEqual({ status: 'claimed' })
  })
})

describe('a Redis that forgets', () => {
  it('everything: releases of what it held leave no debt and no credit', async () => {
    const claim = claimOf({ amountAtomic: 60n })
    await payers.claim(claim)
    await redis.flushall()
    await payers.extend(payer, claim.jobId, LEASE_MS)
    await payers.release({ payer, jobId: claim.jobId, settled: false })
    expect(await sumOf()).toBe(0)
    await payers.claim(claimOf({ amountAtomic: 100n }))
    await payers.release({ payer, jobId: claim.jobId, settled: true })
    expect(await sumOf()).toBe(100)
  })

  it('its scripts: they are loaded again', async () => {
    await redis.script('FLUSH')
    const results = await Promise.all(Array.from({ length: 20 }, () => payers.claim(claimOf())))
    expect(results.filter(({ status }) => status === 'claimed')).toHaveLength(10)
  })
})
