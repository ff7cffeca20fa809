import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REDIS_RIGHTS } from '@turnpike/access'
import { type AddressByPart, newAuthority, operator, type PartHandle, startPart } from '@turnpike/local'
import { loadConfig, REDIS_VARIABLES, redisWire } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { audioKeys } from './audio-keys.ts'
import { executionClaims } from './execution-claims.ts'
import { keyClaims } from './key-claims.ts'
import { payerClaims } from './payer-claims.ts'
import { openRedis, type RedisConnection, redisAnswers } from './redis.ts'
import { listenForReleases, releaseAnnouncer } from './release-signal.ts'
import { totalClaims } from './total-claims.ts'
import { closedUpstreams, upstreamHealth } from './upstream-health.ts'

// A Redis as production has it: TLS, and an ACL user per service. Opened as services open it: from variables.
let part: AddressByPart['redis'] & PartHandle
let dir: string
let strangersCa: string

beforeAll(async () => {
  const authority = await newAuthority()
  strangersCa = (await newAuthority()).ca
  dir = await mkdtemp(join(tmpdir(), 'turnpike-redis-'))
  part = await startPart('redis', { dir, guard: await authority.issue('redis') })
})
afterAll(async () => {
  await part?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Account = 'gateway' | 'text-worker' | 'transcription-worker' | 'ledger'

function open(account: Account | typeof operator, changes: Record<string, string> = {}) {
  const env = {
    REDIS_URL: `rediss://127.0.0.1:${part.port}`,
    REDIS_USERNAME: account,
    REDIS_PASSWORD: part.guarded?.passwords[account] ?? '',
    REDIS_TLS_CA: part.guarded?.ca ?? '',
    ...changes,
  }
  const refusals: string[] = []
  let refused: (sentence: string) => void
  const firstRefusal = new Promise<string>((resolve) => {
    refused = resolve
  })
  const redis = openRedis(redisWire(account, loadConfig(account, REDIS_VARIABLES, env)), {
    name: account,
    onError: () => {},
    onRefused(sentence) {
      refusals.push(sentence)
      refused(sentence)
    },
  })
  onTestFinished(() => redis.disconnect())
  return { redis, firstRefusal, refusals }
}

async function connected(account: Account | typeof operator): Promise<RedisConnection> {
  const { redis } = open(account)
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve))
  return redis
}

const FORBIDDEN = [
  ...['flushall', 'flushdb', 'keys *', 'scan 0', 'config get *', 'acl list', 'monitor', 'shutdown', 'script flush'],
  ...['client kill id 1', 'replicaof no one', 'cluster reset', 'function list', 'dump x'],
]

const CREDENTIALS = 'Redis refuses REDIS_USERNAME or REDIS_PASSWORD (or those in REDIS_URL).'

describe('a connection', () => {
  it('is made with the right authority and password', async () => {
    expect(await redisAnswers(await connected('gateway'))).toBe(true)
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'the authority is another one',
      { REDIS_TLS_CA: 'strangers' },
      'The certificate of Redis is not signed by an authority that is trusted here: see REDIS_TLS_CA.',
    ],
    ['the password is wrong', { REDIS_PASSWORD: 'a-wrong-one' }, CREDENTIALS],
    ['there is none', { REDIS_USERNAME: '', REDIS_PASSWORD: '' }, CREDENTIALS],
  ])('is not made when %s, and the sentence names the variable', async (_when, changes, sentence) => {
    const { redis, firstRefusal, refusals } = open(
      'gateway',
      changes.REDIS_TLS_CA === undefined ? changes : { REDIS_TLS_CA: strangersCa },
    )
    expect(await firstRefusal).toBe(sentence)
    expect(await redisAnswers(redis)).toBe(false)
    expect(refusals).toEqual([sentence])
  })

  it('is not made without TLS', async () => {
    const { redis } = open('gateway', { REDIS_URL: `redis://127.0.0.1:${part.port}`, REDIS_TLS_CA: '' })
    await new Promise((resolve) => redis.once('close', resolve))
    expect(await redisAnswers(redis)).toBe(false)
  })
})

describe('rights', () => {
  it('let every service do its work', async () => {
    const keyHash = randomBytes(32).toString('base64url')
    const jobId = randomBytes(32).toString('hex')
    const payer = `0x${randomBytes(20).toString('hex')}`
    const fingerprint = randomBytes(32).toString('hex')
    const quote = { amountAtomic: 2_000n, catalogVersion: 'v' }
    const gateway = await connected('gateway')
    const ledger = await connected('ledger')

    const keys = keyClaims(gateway)
    await keys.bind(keyHash, fingerprint, quote)
    const claim = { fingerprint, quote, jobId, payer, attempt: 0, leaseMs: 60_000, token: 't' }
    expect(await keys.claim(keyHash, claim)).toEqual({ status: 'claimed' })
    expect(await keys.extend(keyHash, 't', 60_000)).toBe(true)
    expect(await keys.giveBack(keyHash, 't')).toBe(true)
    await keys.unbind(keyHash, fingerprint)

    const payers = payerClaims(gateway)
    const balance = { atomic: 10_000n, version: await payers.version(payer) }
    const exposure = {
      payer,
      nonce: '0x1',
      jobId,
      belongsTo: 'b',
      amountAtomic: 2_000n,
      leaseMs: 60_000,
      authorizationMs: 60_000,
      balance,
    }
    expect(await payers.claim(exposure)).toEqual({ status: 'claimed' })
    await payers.bind({ payer, nonce: '0x2', belongsTo: 'b', authorizationMs: 60_000 })
    const total = totalClaims(gateway)
    expect(await total.claim({ jobId, amountAtomic: 2_000n, leaseMs: 1_000, ceilingAtomic: 9_000n })).toBe('claimed')
    expect(await total.sum()).toBe(2_000n)

    await payerClaims(ledger).extend(payer, jobId, 60_000)
    await payerClaims(ledger).release({ payer, jobId, settled: true })
    await totalClaims(ledger).extend(jobId, 60_000)
    await totalClaims(ledger).release(jobId)
    const listening = await connected('gateway')
    const signal = listenForReleases(listening)
    const heard = signal.next(keyHash, 60_000)
    const watcher = await connected(operator)
    await expect.poll(() => watcher.pubsub('NUMSUB', 'turnpike:moved')).toEqual(['turnpike:moved', 1])
    await releaseAnnouncer(ledger).announce(keyHash)
    expect(await heard).toBe(true)

    const worker = await connected('transcription-worker')
    const claims = executionClaims(worker)
    expect(await claims.start(jobId, 'w', 60_000)).toEqual({ status: 'started', start: 1 })
    expect(await claims.renew(jobId, 'w', 60_000)).toBe(true)
    await claims.finish(jobId)
    const health = upstreamHealth(worker, 'w')
    const target = { model: 'm', index: 0, of: 1 }
    await health.open(target, { code: 'provider_unavailable', leastMs: 60_000, mostMs: 60_000, failingForMs: 1 })
    expect(await closedUpstreams(gateway)()).toHaveLength(1)
    await health.startProbe(target, 'p', 100)
    await health.answered(target)
    await audioKeys(gateway).keep('s', 'wrapped', 60_000)
    expect(await audioKeys(worker).find('s')).toBe('wrapped')
    await audioKeys(worker).forget('s')
    await audioKeys(worker).keep('told', '1', 60_000)
  })

  it.each(['gateway', 'text-worker', 'transcription-worker', 'ledger'] as const)(
    'let the %s touch no key that is not its own, and nothing that reaches all of them',
    async (account) => {
      const redis = await connected(account)
      const own = REDIS_RIGHTS[account]?.keys ?? []
      const all = [...new Set(Object.values(REDIS_RIGHTS).flatMap(({ keys }) => keys))]
      for (const pattern of all.filter((each) => !own.includes(each))) {
        const key = pattern.replace('*', '{x}')
        await expect(redis.call('hget', key, 'f'), pattern).rejects.toThrow('NOPERM')
        await expect(redis.eval("return redis.call('HSET', KEYS[1], 'f', 'v')", 1, key), pattern).rejects.toThrow(
          /NOPERM|ACL failure/,
        )
      }
      for (const line of FORBIDDEN) {
        const [command = '', ...args] = line.split(' ')
        await expect(redis.call(command, ...args), line).rejects.toThrow('NOPERM')
      }
      if (account.endsWith('worker')) await expect(redis.publish('turnpike:moved', 'x')).rejects.toThrow('NOPERM')
    },
  )
})
