import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec, VOICE_ALIASES } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, openTopicAdmin, type Publisher } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { createLogger } from '@turnpike/service'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'
import { bodyOf, CONTENT_KEYS, startWorkerProcess, type WorkerProcess } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CAPABILITY_KEYS, fileAt, IMAGE_MODEL, imageJob, PUBLIC_BASE_URL, SPEECH_MODEL, speechJob } from './testing/media-jobs.ts'
import { IMAGE_TARGET, SPEECH_TARGET, startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

// The service as a process of its own, against a real broker, Redis and object store.

const PATIENCE = { timeout: 40_000, interval: 50 }
const TEST_MS = 120_000

let store: ObjectStore
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
  lag = () => admin.lag('media-worker', 'jobs.media')
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
    REDIS_URL: redis.url,
    CONTENT_KEYS,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    PUBLIC_BASE_URL,
    MEDIA_CAPABILITY_KEYS: CAPABILITY_KEYS,
    GEMINI_BASE_URL: upstream.geminiUrl,
    GEMINI_API_KEY: UPSTREAM_KEY,
    ELEVENLABS_BASE_URL: upstream.elevenlabsUrl,
    ELEVENLABS_API_KEY: UPSTREAM_KEY,
    IMAGE_ROUTES: JSON.stringify({ [IMAGE_MODEL]: [IMAGE_TARGET] }),
    SPEECH_ROUTES: JSON.stringify({ [SPEECH_MODEL]: [SPEECH_TARGET] }),
    VOICES: JSON.stringify(
      Object.fromEntries(VOICE_ALIASES.map((alias, index) => [alias, `VoiceOfThisTest000${String(index).padStart(2, '0')}`])),
    ),
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
async function admit(build: typeof imageJob, asked: string): Promise<JobEvent> {
  const job = await build(store, asked)
  await publisher.publish({
    topic: 'jobs.media',
    key: job.jobId,
    value: jobCodec.encode(job),
    headers: { 'schema-version': '1' },
  })
  return job
}
const outcomesOf = (job: JobEvent) => outcomes.filter(({ jobId }) => jobId === job.jobId)
const callsWith = async (asked: string) => (await upstream.callsWith(asked)).length
const text = () => `Media ${randomUUID()}`

it(
  'works through images and speech at once, and says nothing of them in its log',
  async () => {
    const worker = await start()
    const asked = Array.from({ length: 12 }, text)
    const jobs = await Promise.all(asked.map((words, index) => admit(index % 2 === 0 ? imageJob : speechJob, words)))
    await expect.poll(() => jobs.filter((job) => outcomesOf(job).length > 0).length, PATIENCE).toBe(12)
    const urls: string[] = []
    for (const [index, job] of jobs.entries()) {
      expect(outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
      expect(await callsWith(asked[index] ?? '')).toBe(1)
      const { data } = (await bodyOf(store, outcomesOf(job)[0])) as { data: { url: string }[] }
      urls.push(data[0]?.url ?? '')
    }
    const files = await Promise.all(urls.map((url) => fileAt(store, url)))
    expect(files.map(({ contentType }) => contentType)).toEqual(
      jobs.map((_, index) => (index % 2 === 0 ? 'image/png' : 'audio/mpeg')),
    )
    await expect.poll(lag, PATIENCE).toBe(0)
    const readyz = await fetch(`${worker.internalUrl()}/readyz`)
    expect([readyz.status, await readyz.json()]).toEqual([
      200,
      { ready: true, dependencies: { kafka: 'up', redis: 'up', s3: 'up' } },
    ])
    const said = worker.log() + (await (await fetch(`${worker.internalUrl()}/metrics`)).text())
    expect(said).toContain('turnpike_outcomes_published_total{kind="succeeded"')
    expect(said).not.toMatch(/Media [0-9a-f]{8}|gemini-3|eleven_|VoiceOf|key-of-this-test|v1\/media/)
    for (const url of urls) expect(said).not.toContain(url.slice(-40))
  },
  TEST_MS,
)

/** An image and speech. */
type Pair<T> = [T, T]
const pair = (): Pair<string> => [text(), text()]
const admitPair = async ([image, speech]: Pair<string>): Promise<Pair<JobEvent>> => [
  await admit(imageJob, image),
  await admit(speechJob, speech),
]
const callsOfPair = ([image, speech]: Pair<string>) => Promise.all([callsWith(image), callsWith(speech)])
const outcomesOfPair = ([image, speech]: Pair<JobEvent>) => [outcomesOf(image), outcomesOf(speech)]

describe('an image and a speech job', () => {
  // Both in one: a broker takes six seconds to believe that a killed worker is gone.
  it(
    'whose worker is killed in the middle of the call is called exactly once more and has one outcome; killed twice, it is called by nobody else, and nobody knows how it ended',
    async () => {
      const [spared, doomed] = [pair(), pair()]
      const first = await running()
      await upstream.fault({ kind: 'hang' })
      const [sparedJobs, doomedJobs] = [await admitPair(spared), await admitPair(doomed)]
      await expect
        .poll(() => Promise.all([callsOfPair(spared), callsOfPair(doomed)]), PATIENCE)
        .toEqual([
          [1, 1],
          [1, 1],
        ])
      await first.kill()
      await upstream.fault(...doomed.map((asked) => ({ kind: 'hang', match: { bodyIncludes: asked } }) as const))
      const second = await start()
      const one = [{ kind: 'succeeded' }]
      await expect.poll(() => outcomesOfPair(sparedJobs), PATIENCE).toMatchObject([one, one])
      await expect.poll(() => callsOfPair(doomed), PATIENCE).toEqual([2, 2])
      // Only the others, which were admitted later, are not done.
      await expect.poll(lag, PATIENCE).toBe(2)
      await second.kill()
      await start()
      const unknown = [{ kind: 'ambiguous', code: 'provider_outcome_unknown' }]
      await expect.poll(() => outcomesOfPair(doomedJobs), PATIENCE).toMatchObject([unknown, unknown])
      await expect.poll(lag, PATIENCE).toBe(0)
      expect([await callsOfPair(spared), await callsOfPair(doomed)]).toEqual([
        [2, 2],
        [2, 2],
      ])
      expect(outcomesOfPair(sparedJobs).map(({ length }) => length)).toEqual([1, 1])
    },
    TEST_MS,
  )

  it(
    'is finished by a worker that is told to stop',
    async () => {
      const asked = pair()
      const worker = await running()
      await upstream.fault({ kind: 'latency', ms: 1_000 })
      const jobs = await admitPair(asked)
      await expect.poll(() => callsOfPair(asked), PATIENCE).toEqual([1, 1])
      expect(await worker.terminate()).toBe(0)
      const one = [{ kind: 'succeeded' }]
      await expect.poll(() => outcomesOfPair(jobs), PATIENCE).toMatchObject([one, one])
      expect([await lag(), ...(await callsOfPair(asked))]).toEqual([0, 1, 1])
    },
    TEST_MS,
  )
})
