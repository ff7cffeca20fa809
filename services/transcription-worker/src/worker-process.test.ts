import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRedis } from '@turnpike/admission'
import { type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, openTopicAdmin, type Publisher } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { speechClip } from '@turnpike/sandbox'
import { createLogger } from '@turnpike/service'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'
import type { StagedAudio } from '@turnpike/storage/staged-audio'
import { bodyOf, CONTENT_KEYS, startWorkerProcess, type WorkerProcess } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startTestUpstream, TARGET, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'
import { STAGING_KEYS, stagingOf, TRANSCRIPTION_MODEL, transcriptionJob } from './testing/transcription-jobs.ts'

// The service as a process of its own, against a real broker, Redis and object store.

const PATIENCE = { timeout: 40_000, interval: 50 }
const TEST_MS = 120_000

let store: ObjectStore
let staging: StagedAudio
let upstream: TestUpstream
let publisher: Publisher
let env: Record<string, string>
let lag: () => Promise<number>
const outcomes: OutcomeEvent[] = []
const closers: (() => unknown)[] = []
const workers: WorkerProcess[] = []

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-worker-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  const parts = await Promise.all([
    startPart('kafka', { dir: join(dir, 'kafka') }),
    startPart('redis', { dir: join(dir, 'redis') }),
    startPart('s3', { dir: join(dir, 's3') }),
  ])
  for (const part of parts) closers.push(() => part.stop())
  const [kafka, redisPart, s3] = parts
  store = openObjectStore({ ...s3, forcePathStyle: true })
  closers.push(() => store.close())
  const redis = openRedis(redisPart.url, { name: 'test', onError: () => {} })
  closers.push(() => redis.disconnect())
  await once(redis, 'ready')
  staging = stagingOf({ redis, store })
  upstream = await startTestUpstream()
  closers.push(() => upstream.close())

  const connection = { ...kafka, clientId: 'test', logger: createLogger({ service: 'test', format: 'json', level: 'silent' }) }
  publisher = await openPublisher(connection)
  closers.push(() => publisher.close())
  const admin = openTopicAdmin(connection)
  closers.push(() => admin.close())
  lag = () => admin.lag('transcription-worker', 'jobs.transcription')
  const observer = await openParallelConsumer({
    ...connection,
    groupId: `observer-${randomUUID()}`,
    topics: ['outcomes'],
    concurrency: 8,
    deadLetter: { publisher },
    handler: async (message) => {
      const decoded = outcomeCodec.decode(message.value)
      if (!decoded.ok) throw new Error(decoded.reason)
      outcomes.push(decoded.event)
    },
  })
  closers.push(() => observer.drain(1_000))
  env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    REDIS_URL: redisPart.url,
    CONTENT_KEYS,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    STAGING_KEYS,
    ELEVENLABS_BASE_URL: upstream.elevenlabsUrl,
    ELEVENLABS_API_KEY: UPSTREAM_KEY,
    TRANSCRIPTION_ROUTES: JSON.stringify({ [TRANSCRIPTION_MODEL]: [TARGET] }),
    EXECUTION_LEASE_MS: '2000',
  }
}, 180_000)
afterEach(async () => {
  await upstream.noFaults()
  await upstream.forgetCalls()
  for (const worker of workers.splice(0)) await worker.kill()
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

async function start(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(join(import.meta.dirname, 'main.ts'), env)
  workers.push(worker)
  return worker
}
async function admit(title: string, fields: Record<string, string> = {}): Promise<JobEvent> {
  const job = await transcriptionJob({ store, staging }, speechClip('A sentence into a microphone.', { title }), { fields })
  await publisher.publish({
    topic: 'jobs.transcription',
    key: job.jobId,
    value: jobCodec.encode(job),
    headers: { 'schema-version': '1' },
  })
  return job
}
const outcomesOf = (job: JobEvent) => outcomes.filter(({ jobId }) => jobId === job.jobId)
const calls = async () => (await upstream.calls()).length
const staged = async () => (await store.list('staging/', { limit: 100 })).objects.length

it(
  'works through transcriptions at once, says nothing of them in its log, and leaves no audio behind',
  async () => {
    const worker = await start()
    const title = `secret title ${randomUUID()}`
    const jobs = await Promise.all(Array.from({ length: 6 }, () => admit(title, { language: 'yue', timestamps: 'word' })))
    await expect.poll(() => jobs.filter((job) => outcomesOf(job).length > 0).length, PATIENCE).toBe(6)
    for (const job of jobs) expect(await bodyOf(store, outcomesOf(job)[0])).toMatchObject({ model: TRANSCRIPTION_MODEL })
    await expect.poll(lag, PATIENCE).toBe(0)
    expect([await calls(), await staged()]).toEqual([6, 0])
    const readyz = await fetch(`${worker.internalUrl()}/readyz`)
    expect([readyz.status, await readyz.json()]).toEqual([
      200,
      { ready: true, dependencies: { kafka: 'up', redis: 'up', s3: 'up' } },
    ])
    const said = worker.log() + (await (await fetch(`${worker.internalUrl()}/metrics`)).text())
    expect(said).toContain('turnpike_outcomes_published_total{kind="succeeded"')
    expect(said).not.toMatch(/secret title|milliseconds of audio|yue|scribe_v2|key-of-this-test|audio\.mp3/)
    expect(await worker.terminate()).toBe(0)
  },
  TEST_MS,
)

it(
  'a job whose worker is killed in the middle of the call is called exactly once more, from the same staging, and has one outcome',
  async () => {
    const first = await start()
    await upstream.fault({ kind: 'hang' })
    const job = await admit(randomUUID())
    await expect.poll(calls, PATIENCE).toBe(1)
    await first.kill()
    await upstream.noFaults()
    await start()
    await expect.poll(() => outcomesOf(job), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    await expect.poll(lag, PATIENCE).toBe(0)
    expect([await calls(), outcomesOf(job).length, await staged()]).toEqual([2, 1, 0])
  },
  TEST_MS,
)

it(
  'a job is finished by a worker that is told to stop',
  async () => {
    const worker = await start()
    await upstream.fault({ kind: 'latency', ms: 1_000 })
    const job = await admit(randomUUID())
    await expect.poll(calls, PATIENCE).toBe(1)
    expect(await worker.terminate()).toBe(0)
    await expect.poll(() => outcomesOf(job), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    expect([await lag(), await calls(), await staged()]).toEqual([0, 1, 0])
  },
  TEST_MS,
)
