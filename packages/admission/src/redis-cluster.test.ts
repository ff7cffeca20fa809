import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPart } from '@turnpike/local'
import { loadConfig, REDIS_VARIABLES, redisWire } from '@turnpike/service'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { audioKeys } from './audio-keys.ts'
import { executionClaims } from './execution-claims.ts'
import { keyClaims } from './key-claims.ts'
import { payerClaims } from './payer-claims.ts'
import { openRedis, type RedisConnection, redisAnswers } from './redis.ts'
import { listenForReleases, releaseAnnouncer } from './release-signal.ts'
import { startTestCluster, type TestCluster } from './testing/test-cluster.ts'
import { randomHex, randomKeyHash } from './testing/test-redis.ts'
import { totalClaims } from './total-claims.ts'
import { closedUpstreams, upstreamHealth } from './upstream-health.ts'

// Three real nodes over TLS, entered as a service enters a managed cluster: by the address of one node, a name and a password.
let cluster: TestCluster

beforeAll(async () => {
  cluster = await startTestCluster()
  await vi.waitFor(async () => expect(await clusterStates()).toEqual(['ok', 'ok', 'ok']), { timeout: 60_000 })
})
afterAll(() => cluster?.remove())

async function clusterStates(): Promise<string[]> {
  const infos = await Promise.all(cluster.nodes.map((node) => node.cluster('INFO')))
  return infos.map((info) => /cluster_state:(\w+)/.exec(String(info))?.[1] ?? '')
}

async function open(account: string): Promise<RedisConnection> {
  const env = {
    REDIS_URL: cluster.urls[0] ?? '',
    REDIS_CLUSTER: 'on',
    REDIS_USERNAME: account,
    REDIS_PASSWORD: cluster.passwords[account] ?? '',
    REDIS_TLS_CA: cluster.ca,
  }
  const redis = openRedis(redisWire(account, loadConfig(account, REDIS_VARIABLES, env)), { name: account, onError: () => {} })
  onTestFinished(() => redis.disconnect())
  await expect.poll(() => redis.status).toBe('ready')
  return redis
}

const QUOTE = { amountAtomic: 2_000n, catalogVersion: 'v' }

it('carries the claims of many payers and keys on all of its nodes, each script on one', async () => {
  const gateway = await open('gateway')
  const [keys, payers, total] = [keyClaims(gateway), payerClaims(gateway), totalClaims(gateway)]
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const [keyHash, fingerprint, jobId, payer] = [randomKeyHash(), randomHex(32), randomHex(32), `0x${randomHex(20)}`]
      await keys.bind(keyHash, fingerprint, QUOTE)
      const balance = { atomic: 10_000n, version: await payers.version(payer) }
      const lease = { jobId, amountAtomic: 2_000n, leaseMs: 60_000 }
      return [
        (await payers.claim({ ...lease, payer, nonce: '0x1', belongsTo: 'b', authorizationMs: 60_000, balance })).status,
        (await keys.claim(keyHash, { fingerprint, quote: QUOTE, jobId, payer, attempt: 0, leaseMs: 60_000, token: 't' })).status,
        await total.claim({ ...lease, ceilingAtomic: 1_000_000n }),
        await payers.release({ payer, jobId, settled: true }),
      ]
    }),
  )
  expect(statuses).toEqual(Array.from({ length: 60 }, () => ['claimed', 'claimed', 'claimed', undefined]))
  expect(await total.sum()).toBe(120_000n)
  for (const node of cluster.nodes) expect(await node.dbsize()).toBeGreaterThan(0)
})

it('carries executions, audio keys and the health of upstreams, too', async () => {
  const worker = await open('transcription-worker')
  const claims = executionClaims(worker)
  for (let count = 0; count < 20; count++)
    expect(await claims.start(randomHex(32), 'w', 1_000)).toEqual({ status: 'started', start: 1 })
  const gateway = await open('gateway')
  for (let count = 0; count < 20; count++) {
    const id = randomHex(16)
    await audioKeys(gateway).keep(id, 'wrapped', 60_000)
    expect(await audioKeys(worker).find(id)).toBe('wrapped')
  }
  const fault = { code: 'provider_overloaded', leastMs: 60_000, mostMs: 60_000, failingForMs: 1 } as const
  await upstreamHealth(worker, 'w').open({ model: 'm', index: 0, of: 1 }, fault)
  expect(await closedUpstreams(gateway)()).toHaveLength(1)
})

it('carries a release from any node to any other', async () => {
  const signals = await Promise.all([open('gateway'), open('gateway')]).then((all) => all.map(listenForReleases))
  const subscribed = async () => {
    const counts = await Promise.all(cluster.nodes.map((node) => node.pubsub('NUMSUB', 'turnpike:moved')))
    return counts.reduce((sum: number, each) => sum + Number((each as unknown[])[1]), 0)
  }
  await expect.poll(subscribed).toBe(2)
  const announcer = releaseAnnouncer(await open('ledger'))
  const keyHash = randomKeyHash()
  const heard = signals.map((signal) => signal.next(keyHash, 60_000))
  await announcer.announce(keyHash)
  expect(await Promise.all(heard)).toEqual([true, true])
})

it('says that it is away while slots are, and serves again when they are back', async () => {
  const gateway = await open('gateway')
  expect(await redisAnswers(gateway)).toBe(true)
  await cluster.stopNode(2)
  await expect.poll(() => redisAnswers(gateway)).toBe(false)
  await cluster.startNode(2)
  await expect.poll(() => redisAnswers(gateway)).toBe(true)
  await expect.poll(() => clusterStates()).toEqual(['ok', 'ok', 'ok'])
  const total = totalClaims(gateway)
  // The gateway may still be on its way to the node that came back.
  await expect
    .poll(async () => {
      const sums = await Promise.allSettled([total.sum(), payerClaims(gateway).version(`0x${randomHex(20)}`)])
      return sums.map(({ status }) => status)
    })
    .toEqual(['fulfilled', 'fulfilled'])
})

it('binds many keys at once where a cluster of one node was entered as a server', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-redis-'))
  const node = await startPart('redis', { dir, isClusterNode: true })
  onTestFinished(async () => {
    await node.stop()
    await rm(dir, { recursive: true, force: true })
  })
  const redis = openRedis(node.url, { name: 'gateway', onError: () => {} })
  onTestFinished(() => redis.disconnect())
  await expect.poll(() => redis.status).toBe('ready')
  await redis.cluster('ADDSLOTSRANGE', 0, 16_383)
  await expect.poll(async () => String(await redis.cluster('INFO'))).toContain('cluster_state:ok')
  const keys = keyClaims(redis)
  for (let round = 0; round < 2; round++) {
    const records = await Promise.all(Array.from({ length: 20 }, () => keys.bind(randomKeyHash(), randomHex(32), QUOTE)))
    expect(records.map(({ state }) => state)).toEqual(records.map(() => 'quoted'))
  }
})
