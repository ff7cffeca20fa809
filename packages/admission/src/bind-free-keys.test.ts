import { kill } from 'node:process'
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

const quote: Quote = { amountAtomic: 2_000n, catalogVersion: '2026-11-21.0a1b2c3d' }
const mine = randomHex(32)
const other = randomHex(32)

/** What Redis ran meanwhile, inside of scripts too. */
async function monitored<T>(work: () => Promise<T>): Promise<{ commands: string[][]; result: T }> {
  const connection = redis.duplicate()
  const monitor = await connection.monitor()
  const commands: string[][] = []
  monitor.on('monitor', (_time: string, command: string[]) => commands.push(command))
  const result = await work()
  const end = randomHex(8)
  await redis.ping(end)
  await expect.poll(() => commands.some((command) => command.includes(end))).toBe(true)
  monitor.disconnect()
  connection.disconnect()
  return { commands, result }
}

describe('free keys', () => {
  it('are bound by what a Redis of 6.2 knows, which the local stack falls back on: NX and GET go together from 7.0 on', async () => {
    const { commands } = await monitored(() => keys.bind(key, mine, quote))
    expect(commands.filter(([name]) => /^set$/i.test(name ?? ''))).toEqual([
      ['SET', `k:r:{${key}}`, expect.any(String), 'PX', String(BINDING_TTL_MS), 'NX'],
    ])
  })

  it('are bound together with those that come while a call is under way, each by itself', async () => {
    const [taken, free] = [randomKeyHash(), Array.from({ length: 600 }, randomKeyHash)]
    await keys.bind(taken, other, quote)
    const { commands, result } = await monitored(() => Promise.all([taken, ...free].map((one) => keys.bind(one, mine, quote))))
    expect(result.map((record) => sameRequest(record, mine))).toEqual([false, ...free.map(() => true)])
    for (const one of free) expect(await redis.pttl(`k:r:{${one}}`)).toBeGreaterThan(0)
    // 256, 256 and 89 keys; the script that looks at what stands under the one that was taken is the fourth.
    expect(commands.filter(([name]) => /^eval/i.test(name ?? ''))).toHaveLength(4)
  })

  it('are not bound, and nobody is told that they are, when Redis goes away meanwhile', async () => {
    const gone = await server.connect()
    const claims = keyClaims(gone)
    // Enough for a call that is on its way, and some that are not.
    const asked = Array.from({ length: 300 }, randomKeyHash)
    const bindings = asked.map((one) => claims.bind(one, mine, quote))
    gone.disconnect()
    const settled = await Promise.allSettled(bindings)
    expect(settled.slice(256).map(({ status }) => status)).toEqual(settled.slice(256).map(() => 'rejected'))
    const told = asked.filter((_, index) => settled[index]?.status === 'fulfilled')
    for (const one of told) expect(await keys.read(one)).toMatchObject({ state: 'quoted', quote })
    await expect(claims.bind(key, mine, quote)).rejects.toThrow()
  })

  it('wait for a server that hangs as long as one command may, however many they are', async () => {
    const claims = keyClaims(await server.connect())
    await claims.bind(randomKeyHash(), mine, quote)
    kill(server.pid(), 'SIGSTOP')
    try {
      const [early, late] = [AbortSignal.timeout(1_500), AbortSignal.timeout(8_000)]
      const first = Array.from({ length: 1_500 }, () => claims.bind(randomKeyHash(), mine, quote))
      await new Promise((turn) => setImmediate(turn))
      const settled = await Promise.allSettled([...first, claims.bind(key, mine, quote)])
      expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']))
      // In a line of 256 they would take twelve seconds. Timers of one process end in their order, however slow the machine is.
      expect([early.aborted, late.aborted]).toEqual([true, false])
    } finally {
      kill(server.pid(), 'SIGCONT')
    }
    await expect.poll(() => claims.bind(key, mine, quote).catch(() => undefined)).toMatchObject({ state: 'quoted', quote })
  })
})
