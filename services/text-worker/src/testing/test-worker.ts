import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionClaims, executionClaims, openRedis } from '@turnpike/admission'
import { type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec } from '@turnpike/contracts'
import type { ConsumedMessage, MessageToPublish } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { openGemini, type TextUpstream } from '@turnpike/providers'
import { createLogger, createMetrics } from '@turnpike/service'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'
import { type CompleteDeps, completeTextJobs } from '../complete-text-jobs.ts'
import { workerMetrics } from '../worker-metrics.ts'
import { KEYRING } from './build-job.ts'
import { startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './test-upstream.ts'

export type TestParts = {
  redis: ReturnType<typeof openRedis>
  claims: ExecutionClaims
  store: ObjectStore
  upstream: TestUpstream
  gemini: TextUpstream
  close(): Promise<void>
}

/** A real Redis and object store, and an upstream in this process. */
export async function startTestParts(): Promise<TestParts> {
  const closers: (() => unknown)[] = []
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-worker-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  const redisPart = await startPart('redis', { dir: join(dir, 'redis') })
  closers.push(() => redisPart.stop())
  const s3Part = await startPart('s3', { dir: join(dir, 's3') })
  closers.push(() => s3Part.stop())
  const redis = openRedis(redisPart.url, { name: 'test', onError: () => {} })
  closers.push(() => redis.disconnect())
  await once(redis, 'ready')
  const store = openObjectStore({ ...s3Part, forcePathStyle: true })
  closers.push(() => store.close())
  const upstream = await startTestUpstream()
  closers.push(() => upstream.close())
  const gemini = openGemini({
    baseUrl: upstream.geminiUrl,
    apiKey: UPSTREAM_KEY,
    maxConnections: 8,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 },
  })
  closers.push(() => gemini.close())
  return {
    redis,
    claims: executionClaims(redis),
    store,
    upstream,
    gemini,
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}

export type TestWorker = {
  deps: CompleteDeps
  published: MessageToPublish[]
  outcomes(): OutcomeEvent[]
  handle(job: JobEvent): Promise<void>
}

/** A worker with a publisher that keeps what it was given, and fails as often as it is told. */
export function testWorker(parts: TestParts, changes: Partial<CompleteDeps> & { publishFailures?: number } = {}): TestWorker {
  const { publishFailures = 0, ...rest } = changes
  const published: MessageToPublish[] = []
  let failuresLeft = publishFailures
  const deps: CompleteDeps = {
    routes: new Map([['gm-2.5-flash', [{ upstream: parts.gemini, target: 'gemini-2.5-flash' }]]]),
    store: parts.store,
    keyring: KEYRING,
    claims: parts.claims,
    publisher: {
      async publish(message) {
        failuresLeft -= 1
        if (failuresLeft >= 0) throw new Error('the broker is away')
        published.push(message)
      },
    },
    metrics: workerMetrics(createMetrics(`test-${randomUUID()}`)),
    logger: createLogger({ service: 'test', format: 'json', level: 'silent' }),
    now: Date.now,
    owner: randomUUID(),
    leaseMs: 15_000,
    ...rest,
  }
  const handler = completeTextJobs(deps)
  return {
    deps,
    published,
    outcomes: () =>
      published.map(({ value }) => {
        const decoded = outcomeCodec.decode(value)
        if (!decoded.ok) throw new Error(decoded.reason)
        return decoded.event
      }),
    handle: (job) => handler(messageOf(jobCodec.encode(job)), { signal: new AbortController().signal, attempt: 1 }),
  }
}

export const messageOf = (value: Buffer): ConsumedMessage => ({
  topic: 'jobs.text',
  partition: 0,
  offset: 0n,
  key: null,
  value,
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  timestampMs: 0,
})
