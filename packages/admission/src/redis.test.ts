import { kill } from 'node:process'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionClaims } from './execution-claims.ts'
import { keyClaims } from './key-claims.ts'
import { payerClaims } from './payer-claims.ts'
import { openRedis, redisAnswers } from './redis.ts'
import { randomHex, randomKeyHash, startTestRedis, type TestRedis } from './testing/test-redis.ts'
import { totalClaims } from './total-claims.ts'

let server: TestRedis
let redis: Redis

beforeAll(async () => {
  server = await startTestRedis()
  redis = await server.connect()
})
afterAll(() => server.remove())

const quote = { amountAtomic: 2_000n, catalogVersion: 'v' }
const keyClaim = () => ({
  fingerprint: randomHex(32),
  quote,
  jobId: randomHex(32),
  payer: '0xa',
  attempt: 0,
  leaseMs: 1_000,
  token: 't',
})
const payerClaim = () => ({
  payer: `0x${randomHex(20)}`,
  nonce: randomHex(32),
  jobId: randomHex(32),
  belongsTo: 'k',
  amountAtomic: 1n,
  leaseMs: 1_000,
  authorizationMs: 1_000,
  balance: { atomic: 10n, version: '0' },
})

/** Whatever a service may ask of Redis, at once. */
function everything(connection: Redis): Promise<unknown>[] {
  const [keys, payers, executions] = [keyClaims(connection), payerClaims(connection), executionClaims(connection)]
  const total = totalClaims(connection)
  const key = randomKeyHash()
  const mine = randomHex(32)
  return [
    keys.read(key),
    keys.bind(key, mine, quote).then(() => keys.bind(key, mine, quote)),
    keys.claim(key, keyClaim()),
    keys.extend(key, 'j', 1),
    keys.giveBack(key, 'j'),
    keys.unbind(key, 'f'.repeat(64)),
    payers.version('0xa'),
    payers.claim(payerClaim()),
    payers.extend('0xa', 'j', 1),
    payers.release({ payer: '0xa', jobId: 'j', settled: true }),
    total.claim({ jobId: 'j', amountAtomic: 1n, leaseMs: 1_000, ceilingAtomic: 10n }),
    total.extend('j', 1),
    total.release('j'),
    total.sum(),
    executions.start(randomHex(32), 'w', 1_000),
    executions.renew(randomHex(32), 'w', 1_000),
    executions.finish(randomHex(32)),
  ]
}

describe('every script', () => {
  it('touches one hash tag, so that a cluster can run it', async () => {
    const connection = redis.duplicate()
    const monitor = await connection.monitor()
    const seen: string[][] = []
    monitor.on('monitor', (_time: string, args: string[]) => seen.push(args))
    await Promise.all(everything(redis))
    await redis.ping('the end')
    await expect.poll(() => seen.some((args) => args.includes('the end'))).toBe(true)
    monitor.disconnect()
    connection.disconnect()

    const scripts = seen.filter(([command]) => command?.toLowerCase() === 'evalsha' || command?.toLowerCase() === 'eval')
    expect(scripts.length).toBeGreaterThanOrEqual(15)
    for (const [, , numberOfKeys, ...rest] of scripts) {
      const keys = rest.slice(0, Number(numberOfKeys))
      expect(keys.length).toBeGreaterThan(0)
      expect(new Set(keys.map(tagOf)).size, keys.join(' ')).toBe(1)
      expect(tagOf(keys[0] ?? '')).not.toBe('')
    }
    // What the scripts do themselves goes to the keys that they declared.
    const declared = new Set(scripts.flatMap(([, , numberOfKeys, ...rest]) => rest.slice(0, Number(numberOfKeys))))
    const touched = seen.filter(([command]) => /^(H|Z|P?EXPIRE|SET|GET|DEL)/i.test(command ?? '')).map(([, key]) => key ?? '')
    expect(touched.length).toBeGreaterThan(10)
    expect(touched.filter((key) => !declared.has(key) && key !== 'p:{0xa}')).toEqual([])
  })
})

function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? ''
}

describe('with Redis away', () => {
  it('a frozen server is given up after two seconds', async () => {
    const connection = await server.connect()
    kill(server.pid(), 'SIGSTOP')
    try {
      // Timers of one process end in their order, however slow the machine is.
      const [tooEarly, tooLate] = [AbortSignal.timeout(1_500), AbortSignal.timeout(8_000)]
      const results = await Promise.allSettled(everything(connection))
      expect([tooEarly.aborted, tooLate.aborted]).toEqual([true, false])
      expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([])
      expect(await redisAnswers(connection)).toBe(false)
    } finally {
      kill(server.pid(), 'SIGCONT')
    }
    await expect.poll(() => redisAnswers(connection)).toBe(true)
  })

  it('whoever begins to use it while it stands still is told so, and nothing ends', async () => {
    const connection = await server.connect()
    kill(server.pid(), 'SIGSTOP')
    try {
      // The first is on its way and the second waits behind it when the scripts are asked for.
      const first = redisAnswers(connection)
      await new Promise<void>((next) => setImmediate(() => setImmediate(next)))
      const second = redisAnswers(connection)
      const results = await Promise.allSettled(everything(connection))
      expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([])
      expect(
        results.map((result) => String((result as PromiseRejectedResult).reason)).filter((why) => !/timed out/.test(why)),
      ).toEqual([])
      expect([await first, await second]).toEqual([false, false])
    } finally {
      kill(server.pid(), 'SIGCONT')
    }
    await expect.poll(() => redisAnswers(connection)).toBe(true)
  })

  it('a stopped server is given up at once, and taken up again when it is back', async () => {
    const connection = await server.connect()
    const keys = keyClaims(connection)
    await keys.bind(randomKeyHash(), randomHex(32), quote)
    await server.stop()
    await expect.poll(() => connection.status).not.toBe('ready')
    const results = await Promise.allSettled(everything(connection))
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(await redisAnswers(connection)).toBe(false)

    await server.startAgain()
    await expect.poll(() => redisAnswers(connection)).toBe(true)
    expect(await keys.bind(randomKeyHash(), randomHex(32), quote)).toMatchObject({ state: 'quoted' })
  })

  it('a connection that is lost in the middle rejects what was asked, and repeats nothing later', async () => {
    const connection = await server.connect()
    const key = randomKeyHash()
    kill(server.pid(), 'SIGSTOP')
    const asked = Promise.allSettled([keyClaims(connection).claim(key, keyClaim())])
    connection.stream.destroy()
    const [claimed] = await asked
    kill(server.pid(), 'SIGCONT')
    expect(claimed.status).toBe('rejected')
    await expect.poll(() => redisAnswers(connection)).toBe(true)
  })

  it('an address where nobody listens rejects and reports, without an end of the process', async () => {
    const errors: Error[] = []
    const nobody = openRedis('redis://127.0.0.1:1', { name: 'test', onError: (error) => errors.push(error) })
    await expect(keyClaims(nobody).read('k')).rejects.toThrow()
    expect(await redisAnswers(nobody)).toBe(false)
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    nobody.disconnect()
  })
})
