import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { jobCodec, OUTCOME_VERSION, outcomeCodec, parseChatCompletion, TOPICS } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, schemaVersionHeader } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { createLogger } from '@turnpike/service'
import { openObjectStore } from '@turnpike/storage'
import { buildJob, CONTENT_KEYS } from '@turnpike/worker/testing'
import type { BenchRun } from '../bench-run.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

const MODEL = 'gm-2.5-flash-lite'
const UPSTREAM_KEY = 'key-of-this-bench'
const JOB_DEADLINE_MS = 600_000

/** When its job was handed to Kafka (before the publish) and when its outcome came back, in ms of one clock; `ok` when it succeeded. */
export type FinishedJob = { publishedMs: number; finishedMs: number; ok: boolean }

export type WorkerRig = {
  startWorker(concurrency: number): Promise<WorkerProcess>
  stopWorker(worker: WorkerProcess): Promise<void>
  /** Resolves with the job's end when its outcome is on the outcome topic. */
  runJob(): Promise<FinishedJob>
  /** Calls that the upstream has not answered yet. */
  callsInFlight(): Promise<number>
}

/** Kafka, Redis, an object store and a slow upstream: what a worker needs and nothing else, so that nothing else can be the limit. */
export async function openWorkerRig(run: BenchRun, latencyMs: number): Promise<WorkerRig> {
  const part = <Name extends 'kafka' | 'redis' | 's3'>(name: Name) =>
    run.track(name, () => startPart(name, { dir: join(run.folder, 'workers', name) }), {
      pids: ({ pid }) => [pid],
      stop: (started) => started.stop(),
    })
  const [kafka, redis, s3] = await Promise.all([part('kafka'), part('redis'), part('s3')])
  const upstream = await run.startSlowUpstream(latencyMs)
  const logger = createLogger({ service: 'bench', format: 'json', level: 'silent' })
  const connection = { brokers: kafka.brokers, clientId: 'bench', logger }
  const resource = <Opened>(name: string, open: () => Promise<Opened>, stop: (opened: Opened) => Promise<unknown>) =>
    run.track(name, open, { pids: () => [], stop })
  const store = await resource(
    'object store',
    async () => openObjectStore({ ...s3, forcePathStyle: true }),
    async (opened) => opened.close(),
  )
  const publisher = await resource(
    'publisher',
    () => openPublisher(connection),
    (opened) => opened.close(),
  )
  const waiting = new Map<string, (ok: boolean) => void>()
  await resource(
    'outcomes',
    () =>
      openParallelConsumer({
        ...connection,
        groupId: `bench-${randomUUID()}`,
        topics: [TOPICS.outcomes],
        concurrency: 256,
        deadLetter: { publisher },
        handler: async ({ key, value }) => {
          const decoded = outcomeCodec.decode(value)
          waiting.get(key ?? '')?.(decoded.ok && decoded.event.kind === 'succeeded')
        },
      }),
    (opened) => opened.drain(0),
  )
  const parsed = parseChatCompletion({
    model: MODEL,
    messages: [{ role: 'user', content: 'Name three rivers that reach the North Sea, and one that does not.' }],
    max_tokens: 64,
  })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  const request = parsed.value
  const env = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    REDIS_URL: redis.url,
    CONTENT_KEYS,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
    GEMINI_BASE_URL: upstream.url,
    GEMINI_API_KEY: UPSTREAM_KEY,
    TEXT_ROUTES: JSON.stringify({ [MODEL]: ['gemini-2.5-flash-lite'] }),
  }
  let workers = 0

  return {
    startWorker(concurrency) {
      workers += 1
      const logFile = join(run.folder, 'logs', `text-worker-${workers}.log`)
      return run.track(
        `text-worker ${workers}`,
        () => startWorkerProcess({ ...env, CONCURRENCY: String(concurrency) }, logFile),
        { pids: ({ pid }) => [pid], stop: (worker) => worker.stop() },
      )
    },
    stopWorker: (worker) => run.stop(worker),
    async runJob() {
      const deadline = Date.now() + JOB_DEADLINE_MS
      const job = await buildJob(store, { endpoint: '/v1/chat/completions', request }, { deadline })
      const ended = Promise.withResolvers<boolean>()
      waiting.set(job.jobId, ended.resolve)
      const publishedMs = performance.now()
      await publisher.publish({
        topic: TOPICS.textJobs,
        key: job.jobId,
        value: jobCodec.encode(job),
        headers: { [schemaVersionHeader]: String(OUTCOME_VERSION) },
      })
      const ok = await ended.promise
      waiting.delete(job.jobId)
      return { publishedMs, finishedMs: performance.now(), ok }
    },
    async callsInFlight() {
      return ((await upstream.ask({})) as { inFlight: number }).inFlight
    },
  }
}
