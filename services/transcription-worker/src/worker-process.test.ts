import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { audioKeys } from '@turnpike/admission'
import type { JobEvent } from '@turnpike/contracts'
import { speechClip } from '@turnpike/sandbox'
import { openStagingKeys, type StagedAudio, sampleKey, stagedAudio } from '@turnpike/storage/staged-audio'
import { startKmsServer } from '@turnpike/storage/staged-audio/testing'
import { bodyOf, openWorkerProcesses, type WorkerProcesses } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startTestUpstream, TARGET, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'
import { STAGING_KEYS, stagingOf, TRANSCRIPTION_MODEL, transcriptionJob } from './testing/transcription-jobs.ts'

// The service as a process of its own, against a real broker, Redis and object store.

const KMS_KEY = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd'

let staging: StagedAudio
let upstream: TestUpstream
let workers: WorkerProcesses

beforeAll(async () => {
  upstream = await startTestUpstream()
  workers = await openWorkerProcesses({
    service: 'transcription-worker',
    topic: 'jobs.transcription',
    main: join(import.meta.dirname, 'main.ts'),
    env: {
      STAGING_KEYS,
      ELEVENLABS_BASE_URL: upstream.elevenlabsUrl,
      ELEVENLABS_API_KEY: UPSTREAM_KEY,
      TRANSCRIPTION_ROUTES: JSON.stringify({ [TRANSCRIPTION_MODEL]: [TARGET] }),
    },
  })
  staging = stagingOf(workers)
}, 180_000)
afterEach(async () => {
  await upstream.noFaults()
  await upstream.forgetCalls()
  await workers.killAll()
})
afterAll(async () => {
  await workers?.close()
  await upstream?.close()
})

async function admit(title: string, fields: Record<string, string> = {}, own = staging): Promise<JobEvent> {
  const clip = speechClip('A sentence into a microphone.', { title })
  const job = await transcriptionJob({ store: workers.store, staging: own }, clip, { fields })
  await workers.admit(job)
  return job
}
const calls = async () => (await upstream.calls()).length
const staged = async () => (await workers.store.list('staging/', { limit: 100 })).objects.length

it('works through transcriptions at once, says nothing of them in its log, and leaves no audio behind', async () => {
  const worker = await workers.start()
  const title = `secret title ${randomUUID()}`
  const jobs = await Promise.all(Array.from({ length: 6 }, () => admit(title, { language: 'yue', timestamps: 'word' })))
  await expect.poll(() => jobs.filter((job) => workers.outcomesOf(job).length > 0).length).toBe(6)
  for (const job of jobs)
    expect(await bodyOf(workers.store, workers.outcomesOf(job)[0])).toMatchObject({ model: TRANSCRIPTION_MODEL })
  await expect.poll(workers.lag).toBe(0)
  expect([await calls(), await staged()]).toEqual([6, 0])
  const readyz = await fetch(`${worker.internalUrl()}/readyz`)
  expect([readyz.status, await readyz.json()]).toEqual([
    200,
    { ready: true, dependencies: { kafka: 'up', keys: 'up', redis: 'up', s3: 'up' } },
  ])
  const said = worker.log() + (await (await fetch(`${worker.internalUrl()}/metrics`)).text())
  expect(said).toContain('turnpike_outcomes_published_total{kind="succeeded"')
  expect(said).not.toMatch(/secret title|milliseconds of audio|yue|scribe_v2|key-of-this-test|audio\.mp3/)
  expect(await worker.terminate()).toBe(0)
})

it('a job whose worker is killed in the middle of the call is called exactly once more, from the same staging, and has one outcome', async () => {
  const first = await workers.start()
  await upstream.fault({ kind: 'hang' })
  const job = await admit(randomUUID())
  await expect.poll(calls).toBe(1)
  await first.kill()
  await upstream.noFaults()
  await workers.start()
  await expect.poll(() => workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
  await expect.poll(workers.lag).toBe(0)
  expect([await calls(), workers.outcomesOf(job).length, await staged()]).toEqual([2, 1, 0])
})

it('a job is finished by a worker that is told to stop', async () => {
  const worker = await workers.start()
  await upstream.fault({ kind: 'latency', ms: 1_000 })
  const job = await admit(randomUUID())
  await expect.poll(calls).toBe(1)
  expect(await worker.terminate()).toBe(0)
  await expect.poll(() => workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
  expect([await workers.lag(), await calls(), await staged()]).toEqual([0, 1, 0])
})

it('a worker that may not unwrap takes no job, and transcription is closed to clients, until it may', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  const kms = await startKmsServer([KMS_KEY])
  const wrapping = openStagingKeys({ keyring: undefined, kmsKeys: [KMS_KEY], kmsEndpoint: kms.endpoint })
  if (wrapping === undefined) throw new Error('no wrapping key')
  const { provider } = wrapping
  const keys = audioKeys(workers.redis)
  // As a gateway does, before it sells.
  const sample = sampleKey({ keys, provider })
  expect(await sample.isOpened()).toBe(true)
  kms.failWith({ status: 400, type: 'AccessDeniedException', of: 'Decrypt' })
  const job = await admit(randomUUID(), {}, stagedAudio({ store: workers.store, keys, provider }))
  const starting = workers.start({
    ...{ STAGING_KEYS: '', STAGING_KMS_KEYS: KMS_KEY, STAGING_KMS_ENDPOINT: kms.endpoint },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  })
  await expect.poll(() => sample.isOpened()).toBe(false)
  expect([await workers.lag(), await calls(), workers.outcomesOf(job)]).toEqual([1, 0, []])
  kms.failWith(undefined)
  await starting
  await expect.poll(() => workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
  await expect.poll(() => sample.isOpened()).toBe(true)
  await workers.killAll()
  wrapping.close()
  await kms.close()
  vi.unstubAllEnvs()
})
