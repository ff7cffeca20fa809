import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec } from '@turnpike/contracts'
import { type ConsumedMessage, openParallelConsumer, openPublisher, openTopicAdmin, type Publisher } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { createLogger } from '@turnpike/service'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'
import { CONTENT_KEYS, startWorkerProcess, type WorkerProcess } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { buildChatJob } from './testing/build-job.ts'
import { startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

// The service as a process of its own, against a real broker, Redis and object store.

const PATIENCE = { timeout: 40_000, interval: 50 }
const TEST_MS = 120_000

let store: ObjectStore
let upstream: TestUpstream
let publisher: Publisher
let env: Record<string, string>
let lag: () => Promise<number>
const outcomes: OutcomeEvent[] = []
const deadLetters: ConsumedMessage[] = []
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
  const [kafka, redis, s3] = parts
  store = openObjectStore({ ...s3, forcePathStyle: true })
  closers.push(() => store.close())
  upstream = await startTestUpstream()
  closers.push(() => upstream.close())

  const connection = { ...kafka, clientId: 'test', logger: createLogger({ service: 'test', format: 'json', level: 'silent' }) }
  publisher = await openPublisher(connection)
  closers.push(() => publisher.close())
  const admin = openTopicAdmin(connection)
  closers.push(() => admin.close())
  lag = () => admin.lag('text-worker', 'jobs.text')
  const observer = await openParallelConsumer({
    ...connection,
    groupId: `observer-${randomUUID()}`,
    topics: ['outcomes', 'jobs.text.dead'],
    concurrency: 8,
    deadLetter: { publisher },
    handler: async (message) => {
      if (message.topic !== 'outcomes') return void deadLetters.push(message)
      const decoded = outcomeCodec.decode(message.value)
      if (!decoded.ok) throw new Error(decoded.reason)
      outcomes.push(decoded.event)
    },
  })
  closers.push(() => observer.drain(0))

  env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    REDIS_URL: redis.url,
    CONTENT_KEYS,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    GEMINI_BASE_URL: upstream.geminiUrl,
    GEMINI_API_KEY: UPSTREAM_KEY,
    TEXT_ROUTES: '{"gm-2.5-flash":["gemini-2.5-flash"]}',
    EXECUTION_LEASE_MS: '2000',
  }
}, 180_000)
afterEach(() => upstream.noFaults())
afterAll(async () => {
  for (const worker of workers) await worker.terminate()
  for (const close of closers.reverse()) await close()
})

async function start(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(join(import.meta.dirname, 'main.ts'), env)
  workers.push(worker)
  return worker
}
/** The worker of the test before, if it still lives: to start one takes seconds of a processor. */
async function running(): Promise<WorkerProcess> {
  return workers.find((worker) => worker.isAlive()) ?? (await start())
}
async function admit(text: string, changes: Partial<JobEvent> = {}): Promise<JobEvent> {
  const job = await buildChatJob(store, text, changes)
  await publish(job.jobId, jobCodec.encode(job))
  return job
}
const publish = (key: string, value: Buffer) =>
  publisher.publish({ topic: 'jobs.text', key, value, headers: { 'schema-version': '1' } })
const outcomesOf = (job: JobEvent) => outcomes.filter(({ jobId }) => jobId === job.jobId)
const callsWith = async (text: string) => (await upstream.callsWith(text)).length
/** Of the one series with this name and label. */
function seriesValue(metrics: string, name: string, label: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name}{`) && candidate.includes(label))
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? Number.NaN)
}
const text = () => `Question ${randomUUID()}`

it(
  'works through many jobs at once, commits what is done and says nothing of their content',
  async () => {
    const worker = await start()
    await upstream.fault({ kind: 'latency', ms: 300 })
    const questions = Array.from({ length: 40 }, text)
    const jobs = await Promise.all(questions.map((question) => admit(question)))
    await expect.poll(() => jobs.filter((job) => outcomesOf(job).length > 0).length, PATIENCE).toBe(40)
    for (const [index, job] of jobs.entries()) {
      expect(outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
      expect(await callsWith(questions[index] ?? '')).toBe(1)
    }
    await expect.poll(lag, PATIENCE).toBe(0)

    const metrics = await (await fetch(`${worker.internalUrl()}/metrics`)).text()
    expect(seriesValue(metrics, 'turnpike_provider_calls_total', 'outcome="succeeded"')).toBe(40)
    expect(seriesValue(metrics, 'turnpike_provider_call_seconds_count', 'outcome="succeeded"')).toBe(40)
    expect(seriesValue(metrics, 'turnpike_provider_calls_in_flight', 'model="gm-2.5-flash"')).toBe(0)
    expect(seriesValue(metrics, 'turnpike_outcomes_published_total', 'kind="succeeded"')).toBe(40)
    const readyz = await fetch(`${worker.internalUrl()}/readyz`)
    expect([readyz.status, await readyz.json()]).toEqual([
      200,
      { ready: true, dependencies: { kafka: 'up', redis: 'up', s3: 'up' } },
    ])

    expect(worker.log()).toContain(jobs[0]?.jobId)
    expect(worker.log()).not.toMatch(/Question|gemini-2\.5|key-of-this-test/)
  },
  TEST_MS,
)

it(
  'an event that is not a job goes to the dead letters, frees its key and holds nothing up',
  async () => {
    await running()
    const damaged = await buildChatJob(store, text())
    await publish(damaged.jobId, Buffer.from(JSON.stringify({ ...damaged, version: 99 })))
    await publish(randomUUID(), Buffer.from('not JSON'))
    const next = await admit(text())
    await expect.poll(() => outcomesOf(next), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    await expect.poll(() => outcomesOf(damaged), PATIENCE).toMatchObject([{ kind: 'failed', code: 'job_unreadable' }])
    await expect.poll(() => deadLetters.length, PATIENCE).toBe(2)
    expect(deadLetters.map(({ headers }) => headers['dead-letter-reason'])).toEqual(['schema_invalid', 'schema_invalid'])
    await expect.poll(lag, PATIENCE).toBe(0)
  },
  TEST_MS,
)

// Both in one: a broker takes six seconds to believe that a killed worker is gone.
it(
  'killed in the middle of a call, the next worker makes exactly one more call and one outcome; killed twice, the third calls nobody and says that it is unknown',
  async () => {
    const [spared, doomed] = [text(), text()]
    const first = await running()
    await upstream.fault({ kind: 'hang' })
    const [sparedJob, doomedJob] = [await admit(spared), await admit(doomed)]
    await expect.poll(async () => [await callsWith(spared), await callsWith(doomed)], PATIENCE).toEqual([1, 1])
    await first.kill()
    await upstream.fault({ kind: 'hang', match: { bodyIncludes: doomed } })
    const second = await start()
    await expect.poll(() => outcomesOf(sparedJob), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    await expect.poll(() => callsWith(doomed), PATIENCE).toBe(2)
    // Only the other one, which was admitted later, is not done.
    await expect.poll(lag, PATIENCE).toBe(1)
    await second.kill()
    await start()
    await expect
      .poll(() => outcomesOf(doomedJob), PATIENCE)
      .toMatchObject([{ kind: 'ambiguous', code: 'provider_outcome_unknown' }])
    await expect.poll(lag, PATIENCE).toBe(0)
    expect([await callsWith(spared), await callsWith(doomed)]).toEqual([2, 2])
    expect([outcomesOf(sparedJob).length, outcomesOf(doomedJob).length]).toEqual([1, 1])
  },
  TEST_MS,
)

it(
  'told to stop, it finishes what it started, leaves the rest to others and ends in order',
  async () => {
    const question = text()
    const first = await running()
    await upstream.fault({ kind: 'latency', ms: 1_500 })
    const job = await admit(question)
    await expect.poll(() => callsWith(question), PATIENCE).toBe(1)
    expect(await first.terminate()).toBe(0)
    await expect.poll(() => outcomesOf(job), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    expect(await lag()).toBe(0)
    const later = await admit(text())
    await start()
    await expect.poll(() => outcomesOf(later), PATIENCE).toMatchObject([{ kind: 'succeeded' }])
    expect(await callsWith(question)).toBe(1)
  },
  TEST_MS,
)
