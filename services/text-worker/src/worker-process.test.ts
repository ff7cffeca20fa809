import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { JobEvent } from '@turnpike/contracts'
import { openWorkerProcesses, type WorkerProcesses } from '@turnpike/worker/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { buildChatJob } from './testing/build-job.ts'
import { startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

// The service as a process of its own, against a real broker, Redis and object store.

let upstream: TestUpstream
let workers: WorkerProcesses

beforeAll(async () => {
  upstream = await startTestUpstream()
  workers = await openWorkerProcesses({
    service: 'text-worker',
    topic: 'jobs.text',
    main: join(import.meta.dirname, 'main.ts'),
    env: {
      GEMINI_BASE_URL: upstream.geminiUrl,
      GEMINI_API_KEY: UPSTREAM_KEY,
      TEXT_ROUTES: '{"gm-2.5-flash":["gemini-2.5-flash"]}',
    },
  })
}, 180_000)
afterEach(() => upstream.noFaults())
afterAll(async () => {
  await workers?.close()
  await upstream?.close()
})

async function admit(text: string, changes: Partial<JobEvent> = {}): Promise<JobEvent> {
  const job = await buildChatJob(workers.store, text, changes)
  await workers.admit(job)
  return job
}
const callsWith = async (text: string) => (await upstream.callsWith(text)).length
/** Of the one series with this name and label. */
function seriesValue(metrics: string, name: string, label: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name}{`) && candidate.includes(label))
  return Number(line?.slice(line.lastIndexOf(' ') + 1) ?? Number.NaN)
}
const text = () => `Question ${randomUUID()}`

it('works through many jobs at once, commits what is done and says nothing of their content', async () => {
  const worker = await workers.start()
  await upstream.fault({ kind: 'latency', ms: 300 })
  const questions = Array.from({ length: 40 }, text)
  const jobs = await Promise.all(questions.map((question) => admit(question)))
  await expect.poll(() => jobs.filter((job) => workers.outcomesOf(job).length > 0).length).toBe(40)
  for (const [index, job] of jobs.entries()) {
    expect(workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
    expect(await callsWith(questions[index] ?? '')).toBe(1)
  }
  await expect.poll(workers.lag).toBe(0)

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
})

it('an event that is not a job goes to the dead letters, frees its key and holds nothing up', async () => {
  await workers.running()
  const damaged = await buildChatJob(workers.store, text())
  await workers.publish(damaged.jobId, Buffer.from(JSON.stringify({ ...damaged, version: 99 })))
  await workers.publish(randomUUID(), Buffer.from('not JSON'))
  const next = await admit(text())
  await expect.poll(() => workers.outcomesOf(next)).toMatchObject([{ kind: 'succeeded' }])
  await expect.poll(() => workers.outcomesOf(damaged)).toMatchObject([{ kind: 'failed', code: 'job_unreadable' }])
  await expect.poll(() => workers.deadLetters.length).toBe(2)
  expect(workers.deadLetters.map(({ headers }) => headers['dead-letter-reason'])).toEqual(['schema_invalid', 'schema_invalid'])
  await expect.poll(workers.lag).toBe(0)
})

// Both in one: a broker takes six seconds to believe that a killed worker is gone.
it('killed in the middle of a call, the next worker makes exactly one more call and one outcome; killed twice, the third calls nobody and says that it is unknown', async () => {
  const [spared, doomed] = [text(), text()]
  const first = await workers.running()
  await upstream.fault({ kind: 'hang' })
  const [sparedJob, doomedJob] = [await admit(spared), await admit(doomed)]
  await expect.poll(async () => [await callsWith(spared), await callsWith(doomed)]).toEqual([1, 1])
  await first.kill()
  await upstream.fault({ kind: 'hang', match: { bodyIncludes: doomed } })
  const second = await workers.start()
  await expect.poll(() => workers.outcomesOf(sparedJob)).toMatchObject([{ kind: 'succeeded' }])
  await expect.poll(() => callsWith(doomed)).toBe(2)
  // Only the other one, which was admitted later, is not done.
  await expect.poll(workers.lag).toBe(1)
  await second.kill()
  await workers.start()
  await expect.poll(() => workers.outcomesOf(doomedJob)).toMatchObject([{ kind: 'ambiguous', code: 'provider_outcome_unknown' }])
  await expect.poll(workers.lag).toBe(0)
  expect([await callsWith(spared), await callsWith(doomed)]).toEqual([2, 2])
  expect([workers.outcomesOf(sparedJob).length, workers.outcomesOf(doomedJob).length]).toEqual([1, 1])
})

it('told to stop, it finishes what it started, leaves the rest to others and ends in order', async () => {
  const question = text()
  const first = await workers.running()
  await upstream.fault({ kind: 'latency', ms: 1_500 })
  const job = await admit(question)
  await expect.poll(() => callsWith(question)).toBe(1)
  expect(await first.terminate()).toBe(0)
  await expect.poll(() => workers.outcomesOf(job)).toMatchObject([{ kind: 'succeeded' }])
  expect(await workers.lag()).toBe(0)
  const later = await admit(text())
  await workers.start()
  await expect.poll(() => workers.outcomesOf(later)).toMatchObject([{ kind: 'succeeded' }])
  expect(await callsWith(question)).toBe(1)
})
