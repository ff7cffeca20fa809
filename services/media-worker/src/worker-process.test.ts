import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type JobEvent, VOICE_ALIASES } from '@turnpike/contracts'
import { bodyOf, openWorkerProcesses, type WorkerProcesses } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CAPABILITY_KEYS, fileAt, IMAGE_MODEL, imageJob, PUBLIC_BASE_URL, SPEECH_MODEL, speechJob } from './testing/media-jobs.ts'
import { IMAGE_TARGET, SPEECH_TARGET, startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

// The service as a process of its own, against a real broker, Redis and object store.

let upstream: TestUpstream
let workers: WorkerProcesses

beforeAll(async () => {
  upstream = await startTestUpstream()
  workers = await openWorkerProcesses({
    service: 'media-worker',
    topic: 'jobs.media',
    main: join(import.meta.dirname, 'main.ts'),
    env: {
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
    },
  })
}, 180_000)
afterEach(() => upstream.noFaults())
afterAll(async () => {
  await workers?.close()
  await upstream?.close()
})

async function admit(build: typeof imageJob, asked: string): Promise<JobEvent> {
  const job = await build(workers.store, asked)
  await workers.admit(job)
  return job
}
const callsWith = async (asked: string) => (await upstream.callsWith(asked)).length
const text = () => `Media ${randomUUID()}`

it('works through images and speech at once, and says nothing of them in its log', async () => {
  const worker = await workers.start()
  const asked = Array.from({ length: 12 }, text)
  const jobs = await Promise.all(asked.map((words, index) => admit(index % 2 === 0 ? imageJob : speechJob, words)))
  await expect.poll(() => jobs.filter((job) => workers.outcomesOf(job).length > 0).length).toBe(12)
  const urls: string[] = []
  for (const [index, job] of jobs.entries()) {
    expect(workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
    expect(await callsWith(asked[index] ?? '')).toBe(1)
    const { data } = (await bodyOf(workers.store, workers.outcomesOf(job)[0])) as { data: { url: string }[] }
    urls.push(data[0]?.url ?? '')
  }
  const files = await Promise.all(urls.map((url) => fileAt(workers.store, url)))
  expect(files.map(({ contentType }) => contentType)).toEqual(
    jobs.map((_, index) => (index % 2 === 0 ? 'image/png' : 'audio/mpeg')),
  )
  await expect.poll(workers.lag).toBe(0)
  const readyz = await fetch(`${worker.internalUrl()}/readyz`)
  expect([readyz.status, await readyz.json()]).toEqual([
    200,
    { ready: true, dependencies: { kafka: 'up', redis: 'up', s3: 'up' } },
  ])
  const said = worker.log() + (await (await fetch(`${worker.internalUrl()}/metrics`)).text())
  expect(said).toContain('turnpike_outcomes_published_total{kind="succeeded"')
  expect(said).not.toMatch(/Media [0-9a-f]{8}|gemini-3|eleven_|VoiceOf|key-of-this-test|v1\/media/)
  for (const url of urls) expect(said).not.toContain(url.slice(-40))
})

/** An image and speech. */
type Pair<T> = [T, T]
const pair = (): Pair<string> => [text(), text()]
const admitPair = async ([image, speech]: Pair<string>): Promise<Pair<JobEvent>> => [
  await admit(imageJob, image),
  await admit(speechJob, speech),
]
const callsOfPair = ([image, speech]: Pair<string>) => Promise.all([callsWith(image), callsWith(speech)])
const outcomesOfPair = ([image, speech]: Pair<JobEvent>) => [workers.outcomesOf(image), workers.outcomesOf(speech)]

describe('an image and a speech job', () => {
  // Both in one: a broker takes six seconds to believe that a killed worker is gone.
  it('whose worker is killed in the middle of the call is called exactly once more and has one outcome; killed twice, it is called by nobody else, and nobody knows how it ended', async () => {
    const [spared, doomed] = [pair(), pair()]
    const first = await workers.running()
    await upstream.fault({ kind: 'hang' })
    const [sparedJobs, doomedJobs] = [await admitPair(spared), await admitPair(doomed)]
    await expect
      .poll(() => Promise.all([callsOfPair(spared), callsOfPair(doomed)]))
      .toEqual([
        [1, 1],
        [1, 1],
      ])
    await first.kill()
    await upstream.fault(...doomed.map((asked) => ({ kind: 'hang', match: { bodyIncludes: asked } }) as const))
    const second = await workers.start()
    const one = [{ kind: 'succeeded' }]
    await expect.poll(() => outcomesOfPair(sparedJobs)).toMatchObject([one, one])
    await expect.poll(() => callsOfPair(doomed)).toEqual([2, 2])
    // Only the others, which were admitted later, are not done.
    await expect.poll(workers.lag).toBe(2)
    await second.kill()
    await workers.start()
    const unknown = [{ kind: 'ambiguous', code: 'provider_outcome_unknown' }]
    await expect.poll(() => outcomesOfPair(doomedJobs)).toMatchObject([unknown, unknown])
    await expect.poll(workers.lag).toBe(0)
    expect([await callsOfPair(spared), await callsOfPair(doomed)]).toEqual([
      [2, 2],
      [2, 2],
    ])
    expect(outcomesOfPair(sparedJobs).map(({ length }) => length)).toEqual([1, 1])
  })

  it('is finished by a worker that is told to stop', async () => {
    const asked = pair()
    const worker = await workers.running()
    await upstream.fault({ kind: 'latency', ms: 1_000 })
    const jobs = await admitPair(asked)
    await expect.poll(() => callsOfPair(asked)).toEqual([1, 1])
    expect(await worker.terminate()).toBe(0)
    const one = [{ kind: 'succeeded' }]
    await expect.poll(() => outcomesOfPair(jobs)).toMatchObject([one, one])
    expect([await workers.lag(), ...(await callsOfPair(asked))]).toEqual([0, 1, 1])
  })
})
