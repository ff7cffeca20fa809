import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenForReleases, openRedis, payerClaims } from '@turnpike/admission'
import {
  commitCodec,
  EVENT_SCHEMAS,
  type JobEvent,
  jobCodec,
  type OutcomeEvent,
  outcomeCodec,
  type Release,
  TOPICS,
} from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, type ParallelConsumer, type Publisher } from '@turnpike/kafka'
import { type AddressByPart, connectChain, type PartHandle, startPart, type Wallet } from '@turnpike/local'
import { open } from '@turnpike/sealing'
import { createLogger } from '@turnpike/service'
import { until } from '@turnpike/testing'
import { parseAbiItem } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerProcess, startLedgerProcess } from './testing/ledger-process.ts'
import { type Rig, SIGNING_KEY, startRig } from './testing/ledger-rig.ts'
import { PAY_TO, signedJob, succeeded, unsuccessful } from './testing/signed-job.ts'

const TOKEN = 'a-token-of-the-test'
const FACILITATOR_TOKEN = 'the-facilitators-token'
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const contentKeys = `k1:${randomBytes(32).toString('base64')}`
const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })

let dir: string
let rig: Rig
let redisPart: AddressByPart['redis'] & PartHandle
let kafka: AddressByPart['kafka'] & PartHandle
let s3: AddressByPart['s3'] & PartHandle
let publisher: Publisher
let commits: ParallelConsumer
let env: Record<string, string>
let wallet: Wallet
const committed: string[] = []
const ledgers: LedgerProcess[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-process-'))
  ;[rig, redisPart, kafka, s3] = await Promise.all([
    startRig({ contentKeys }),
    startPart('redis', { dir: join(dir, 'redis') }),
    startPart('kafka', { dir: join(dir, 'kafka') }),
    startPart('s3', { dir: join(dir, 's3') }),
  ])
  wallet = await rig.wallet(100)
  const connection = { brokers: [...kafka.brokers], clientId: 'test', logger }
  publisher = await openPublisher(connection)
  commits = await openParallelConsumer({
    ...connection,
    groupId: 'test-commits',
    topics: [TOPICS.commits],
    concurrency: 10,
    deadLetter: { publisher },
    handler: async ({ value }) => {
      const decoded = commitCodec.decode(value)
      if (decoded.ok) committed.push(decoded.event.jobId)
    },
  })
  env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    REDIS_URL: redisPart.url,
    DATABASE_URL: rig.serviceUrl,
    CONTENT_KEYS: contentKeys,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    INTERNAL_TOKEN: TOKEN,
    FACILITATOR_URL: rig.facilitator.url,
    FACILITATOR_TOKEN,
    CHAIN_RPC_URL: rig.chain.rpcUrl,
    RECEIPT_SIGNING_KEYS: JSON.stringify([SIGNING_KEY]),
    PAYMENT_LEASE_MS: '1000',
    OVERDUE_GRACE_MS: '0',
  }
}, 300_000)

beforeEach(() => rig.facilitator.setMode('pay'))

afterAll(async () => {
  for (const ledger of ledgers) await ledger.end('SIGKILL')
  await commits?.drain(1_000)
  await publisher?.close()
  for (const part of [redisPart, kafka, s3]) await part?.stop()
  await rig?.stop()
  if (dir !== undefined) await rm(dir, { recursive: true, force: true })
})

async function start(): Promise<LedgerProcess> {
  const ledger = await startLedgerProcess(env)
  ledgers.push(ledger)
  return ledger
}
/** The ledger of the test before, if it still lives: to start one takes seconds of a processor. */
async function running(): Promise<LedgerProcess> {
  return ledgers.find((ledger) => ledger.isAlive()) ?? (await start())
}
const publishJob = (job: JobEvent) =>
  publisher.publish({ topic: TOPICS.textJobs, key: job.jobId, value: jobCodec.encode(job), headers: {} })
let outcomesPublished = 0
/** By workers of two releases, in turn. */
const publishOutcome = (outcome: OutcomeEvent) => {
  const value = outcomeCodec.encode(outcome, EVENT_SCHEMAS[outcomesPublished++ % EVENT_SCHEMAS.length] ?? 'current')
  return publisher.publish({ topic: TOPICS.outcomes, key: outcome.jobId, value, headers: {} })
}
const stateOf = async (job: JobEvent) => (await rig.look(job)).state
const jobs = (count: number) => Promise.all(Array.from({ length: count }, () => signedJob(rig.keyring, wallet)))

describe('the service as a process', () => {
  it('takes a job to its release, tells Redis and Kafka, serves the result, and keeps secrets out of its log', async () => {
    const ledger = await start()
    const redis = openRedis(redisPart.url, { name: 'test', onError: () => {} })
    const subscriber = openRedis(redisPart.url, { name: 'test', onError: () => {} })
    const signal = listenForReleases(subscriber)
    await until('the subscription', async () => Number((await redis.pubsub('NUMSUB', 'turnpike:moved'))[1]) === 1)
    const [job] = await jobs(1)
    if (job === undefined) throw new Error('no job')
    const claims = payerClaims(redis)
    const balance = { atomic: 2_000n, version: await claims.version(job.payer) }
    const claim = { payer: job.payer, belongsTo: 'x', leaseMs: 60_000, authorizationMs: 60_000, balance, amountAtomic: 2_000n }
    expect(await claims.claim({ ...claim, nonce: job.nonce, jobId: job.jobId })).toEqual({ status: 'claimed' })
    expect(await claims.claim({ ...claim, nonce: 'another', jobId: 'another' })).toEqual({ status: 'insufficient_funds' })

    const moved = signal.next(job.keyHash, 30_000)
    // The outcome first: it waits for its job.
    await publishOutcome(succeeded(rig.keyring, job, 'the answer'))
    await publishJob(job)
    expect(await moved).toBe(true)
    await until('settlement', async () => (await stateOf(job)) === 'settled')
    const response = await fetch(`${ledger.url}/internal/releases/${job.jobId}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    const release = (await response.json()) as Release
    if (!('inline' in release.body)) throw new Error('not inline')
    const body = open(rig.keyring, Buffer.from(release.body.inline, 'base64'), `turnpike:result:${job.jobId}`)
    expect(body.toString()).toBe('the answer')
    await until('the commit event', () => committed.includes(job.jobId))
    const after = {
      ...claim,
      balance: { atomic: 2_000n, version: await claims.version(job.payer) },
      nonce: 'another',
      jobId: 'another',
    }
    expect(after.balance.version).not.toBe(balance.version)
    expect(await claims.claim(after)).toEqual({ status: 'claimed' })

    expect(rig.facilitator.shown()).toBe(`Bearer ${FACILITATOR_TOKEN}`)
    const metrics = await (await fetch(`${ledger.url}/metrics`)).text()
    expect(metrics).toMatch(/turnpike_ledger_payment_moves_total\{from="settling",to="settled",service="ledger"\} 1/)
    expect(ledger.output()).toContain(job.jobId)
    for (const secret of [job.keyHash, job.nonce, TOKEN, FACILITATOR_TOKEN, SIGNING_KEY.d, 'the answer'])
      expect(ledger.output()).not.toContain(secret)
    signal.close()
    redis.disconnect()
  })

  it('killed between the transfer and its commit: the next one finishes it, with one transfer and one receipt', async () => {
    const ledger = await running()
    const [job] = await jobs(1)
    if (job === undefined) throw new Error('no job')
    const release = rig.facilitator.hold()
    await publishJob(job)
    await publishOutcome(succeeded(rig.keyring, job))
    await until('the submission', () => rig.facilitator.seen().includes(job.nonce))
    await ledger.end('SIGKILL')
    release()
    expect(await stateOf(job)).toBe('settling')
    await start()
    await until('settlement', async () => (await stateOf(job)) === 'settled')
    expect(await rig.database.receipt.count({ where: { jobId: job.jobId } })).toBe(1)
    await until('the commit event', () => committed.includes(job.jobId))
  })

  it('gives up a job without an outcome, after every outcome that lay in the topic while it was away', async () => {
    const [answered, lost] = (await jobs(2)).map((job) => ({ ...job, deadline: Date.now() - 60_000 }))
    if (answered === undefined || lost === undefined) throw new Error('no jobs')
    expect(await (await running()).end('SIGTERM')).toBe(0)
    for (const job of [answered, lost]) await publishJob(job)
    await publishOutcome(succeeded(rig.keyring, answered))
    await start()
    await until('the end of both', async () => (await stateOf(answered)) === 'settled' && (await stateOf(lost)) === 'ambiguous')
  })

  it('two replicas, killed over and over under load: every job ends once, every transfer has its receipt', async () => {
    const winners = await jobs(60)
    const losers = await jobs(20)
    const all = [...winners, ...losers]
    const publishing = (async () => {
      for (const job of all) {
        await publishJob(job)
        await publishOutcome(winners.includes(job) ? succeeded(rig.keyring, job) : unsuccessful(job, 'failed'))
      }
    })()
    const kept = await running()
    for (let round = 0; round < 3; round++) {
      const victim = await start()
      const settledSoFar = await rig.database.receipt.count()
      await until(
        'some progress',
        async () => (await rig.database.receipt.count()) > settledSoFar + 5 || (await undecided(all)) === 0,
      )
      await victim.end('SIGKILL')
    }
    await publishing
    await until('the end of all', async () => (await undecided(all)) === 0, 240_000)
    for (const job of winners) expect(await stateOf(job)).toBe('settled')
    for (const job of losers) expect(await stateOf(job)).toBe('free')

    const receipts = await rig.database.receipt.findMany({ select: { transaction: true, nonce: true } })
    const client = connectChain(rig.chain.rpcUrl)
    const transfers = await client.getLogs({ address: rig.chain.usdc, event: TRANSFER, args: { to: PAY_TO }, fromBlock: 0n })
    expect(receipts.map(({ transaction }) => transaction).sort()).toEqual(transfers.map((log) => log.transactionHash).sort())
    expect(new Set(receipts.map(({ nonce }) => nonce)).size).toBe(receipts.length)
    expect(await kept.end('SIGTERM')).toBe(0)
    // What ends it when it hangs: three ledgers start one after the other, each with seconds of processor time.
  }, 600_000)
})

async function undecided(all: readonly JobEvent[]): Promise<number> {
  const states = await Promise.all(all.map(stateOf))
  return states.filter((state) => state !== 'settled' && state !== 'free').length
}
