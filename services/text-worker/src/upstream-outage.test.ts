import { randomUUID } from 'node:crypto'
import { closedUpstreams, upstreamHealth } from '@turnpike/admission'
import { openGemini, openImageFetcher, openTargets, type TextUpstream } from '@turnpike/providers'
import { createLogger, createMetrics } from '@turnpike/service'
import { targetReport, workerMetrics } from '@turnpike/worker'
import { startTestParts, type TestParts, type TestWorker, testWorker } from '@turnpike/worker/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { executeJob } from './execute-job.ts'
import { buildChatJob } from './testing/build-job.ts'
import { startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

const FAILURES = 3
/** Longer than any of these tests: a closure ends here when the test says so, however busy the machine is. */
const OPEN_MS = 600_000

let parts: TestParts
let upstream: TestUpstream
let gemini: TextUpstream

beforeAll(async () => {
  parts = await startTestParts()
  upstream = await startTestUpstream()
  gemini = open(upstream.geminiUrl)
})
afterAll(async () => {
  await gemini?.close()
  await upstream?.close()
  await parts?.close()
})
beforeEach(async () => {
  await upstream.noFaults()
  await parts.redis.flushall()
})

const retry = { retries: 0, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 }
const open = (baseUrl: string) => openGemini({ baseUrl, apiKey: UPSTREAM_KEY, maxConnections: 8, retry })
const closedNow = () => closedUpstreams(parts.redis)()

/** Ends every open period: Redis, whose clock measures them, holds when that is. */
async function openPeriodIsOver(): Promise<void> {
  for (const [field, text] of Object.entries(await parts.redis.hgetall('h:{upstreams}'))) {
    await parts.redis.hset('h:{upstreams}', field, JSON.stringify({ ...JSON.parse(text), u: 1 }))
  }
  expect(await closedNow()).toEqual([])
}

type Ended = { kind: string; code?: string; calls: number }
type Worker = TestWorker & {
  /** How the job of a question of its own ended, and how often the upstream was asked. */
  ask(): Promise<Ended>
  /** Everything that takes its time before the job is there; what it returns is `ask` without it. */
  prepare(): Promise<() => Promise<Ended>>
}

/** A worker process of its own name, with two targets behind each other if asked. */
function startWorker(
  targets: { upstream: TextUpstream; target: string }[] = [{ upstream: gemini, target: 'gemini-2.5-flash' }],
): Worker {
  const metrics = createMetrics(`test-${randomUUID()}`)
  const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
  const report = targetReport(metrics, logger)
  const shared = upstreamHealth(parts.redis, randomUUID())
  const breaker = { breakerFailures: FAILURES, breakerOpenMs: OPEN_MS, breakerMaxOpenMs: OPEN_MS }
  const worker = testWorker(parts, {
    execute: executeJob({
      routes: new Map([['gm-2.5-flash', targets]]),
      targets: openTargets({ shared, report, ...breaker }),
      fetchImages: openImageFetcher(),
      metrics: workerMetrics(metrics),
      logger,
      now: Date.now,
    }),
  })
  async function prepare(): Promise<() => Promise<Ended>> {
    const question = `Question ${randomUUID()}`
    const job = await buildChatJob(parts.store, question)
    return async () => {
      await worker.handle(job)
      const outcome = worker.outcomes().find(({ jobId }) => jobId === job.jobId)
      const calls = (await upstream.callsWith(question)).length
      return {
        kind: outcome?.kind ?? 'none',
        ...(outcome !== undefined && 'code' in outcome ? { code: outcome.code } : {}),
        calls,
      }
    }
  }
  return { ...worker, prepare, ask: async () => (await prepare())() }
}

const OVERLOADED = { kind: 'failed', code: 'provider_overloaded' }

async function failUntilOpen(worker: Worker): Promise<void> {
  for (let n = 0; n < FAILURES; n++) expect(await worker.ask()).toEqual({ ...OVERLOADED, calls: 1 })
  await expect.poll(closedNow).toMatchObject([{ model: 'gm-2.5-flash', index: 0, of: 1, code: 'provider_overloaded' }])
}

it('an upstream that keeps failing is closed to clients, is not called any more, and its jobs end without having run', async () => {
  const worker = startWorker()
  await upstream.fault({ kind: 'status-503' })
  await failUntilOpen(worker)
  expect(await worker.ask()).toEqual({ ...OVERLOADED, calls: 0 })
})

it('one job finds out for all workers that it is back, and whatever comes meanwhile ends without a call', async () => {
  const [first, second] = [startWorker(), startWorker()]
  await upstream.fault({ kind: 'status-503' })
  await failUntilOpen(first)
  for (let n = 0; n < FAILURES; n++) await second.ask()
  await openPeriodIsOver()
  // The others have to come while the one is out: they have as long as this.
  await upstream.fault({ kind: 'latency', ms: 5_000 })
  const prepared = await Promise.all([first, second, first, second].map((worker) => worker.prepare()))
  const asked = await Promise.all(prepared.map((ask) => ask()))
  expect(asked.filter(({ kind }) => kind === 'succeeded')).toEqual([{ kind: 'succeeded', calls: 1 }])
  expect(asked.filter(({ calls }) => calls === 0)).toEqual(Array(3).fill({ ...OVERLOADED, calls: 0 }))
  expect(await closedNow()).toEqual([])
  for (const worker of [first, second]) expect(await worker.ask()).toEqual({ kind: 'succeeded', calls: 1 })
})

it('stays closed when the job that found out failed as well', async () => {
  const worker = startWorker()
  await upstream.fault({ kind: 'status-503' })
  await failUntilOpen(worker)
  await openPeriodIsOver()
  expect(await worker.ask()).toEqual({ ...OVERLOADED, calls: 1 })
  await expect.poll(closedNow).toHaveLength(1)
  expect(await worker.ask()).toEqual({ ...OVERLOADED, calls: 0 })
})

it('a worker that alone cannot reach it closes it to nobody', async () => {
  const unreachable = open('http://127.0.0.1:9')
  const lonely = startWorker([{ upstream: unreachable, target: 'gemini-2.5-flash' }])
  const healthy = startWorker()
  for (let n = 0; n < FAILURES + 2; n++) {
    // Lately is measured by the clock: it is answered before each of the failures, as a worker with traffic is.
    expect(await healthy.ask()).toMatchObject({ kind: 'succeeded' })
    expect(await lonely.ask()).toEqual({ kind: 'failed', code: 'provider_unavailable', calls: 0 })
  }
  expect(await closedNow()).toEqual([])
  expect(await healthy.ask()).toMatchObject({ kind: 'succeeded' })
  await unreachable.close()
})

it('a second target serves while the first one is open, and the model is sold all the time', async () => {
  const unreachable = open('http://127.0.0.1:9')
  const worker = startWorker([
    { upstream: unreachable, target: 'gemini-2.5-pro' },
    { upstream: gemini, target: 'gemini-2.5-flash' },
  ])
  for (let n = 0; n < FAILURES + 2; n++) expect(await worker.ask()).toEqual({ kind: 'succeeded', calls: 1 })
  expect(await closedNow()).toMatchObject([{ index: 0, of: 2 }])
  await unreachable.close()
})
