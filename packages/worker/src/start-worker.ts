import { randomUUID } from 'node:crypto'
import { executionClaims, openRedis, redisAnswers, type UpstreamHealth, upstreamHealth } from '@turnpike/admission'
import type { Topic } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, type ParallelConsumer, showConsumer, showPublisher } from '@turnpike/kafka'
import {
  type Check,
  createLogger,
  createMetrics,
  kafkaWire,
  type Logger,
  type Metrics,
  openTracing,
  redisWire,
  s3Wire,
  shutDownOnSignal,
  startInternalServer,
} from '@turnpike/service'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'
import { type CompleteDeps, completeJobs, reportDeadLetter } from './complete-jobs.ts'
import type { WorkerConfig } from './config.ts'
import type { ExecuteJob } from './start-job.ts'
import { type TargetReport, targetReport } from './target-report.ts'
import { type WorkerMetrics, workerMetrics } from './worker-metrics.ts'

/** For the commit, leaving the group and closing connections, after the drain. */
const CLOSING_MS = 12_000

export type WorkerParts = {
  store: ObjectStore
  redis: ReturnType<typeof openRedis>
  workerMetrics: WorkerMetrics
  metrics: Metrics
  logger: Logger
  /** What the worker processes tell each other of their upstream targets. */
  upstreamHealth: UpstreamHealth
  targetReport: TargetReport
}
export type JobExecutor = {
  execute: ExecuteJob
  /** What it executes, for the log. */
  models: readonly string[]
  /** As in CompleteDeps. */
  discard?: CompleteDeps['discard']
  /** Of what it alone needs, for /readyz. */
  checks?: Record<string, Check>
  /** No job is taken before this resolves: they stay with the workers that can do them. */
  canStart?(): Promise<void>
  /** After the last job; what it opened itself. */
  close(): Promise<void>
}

/** A worker process: consumes `topic` as the group named after the service, with health, metrics and an orderly end. */
export async function startWorker(options: {
  service: string
  topic: Topic
  config: WorkerConfig
  openExecutor: (parts: WorkerParts) => JobExecutor
}): Promise<void> {
  const { service, topic, config } = options
  const logger = createLogger({ service, format: config.logFormat, level: config.logLevel })
  const metrics = createMetrics(service)
  const tracing = await openTracing({ service, env: process.env, metrics, logger })
  const kafka = { ...kafkaWire(service, config), clientId: service, logger }
  const onRefused = (sentence: string) => logger.error({}, sentence)

  const redis = openRedis(redisWire(service, config), {
    name: service,
    onRefused,
    onError: (error) => logger.warn({ error }, 'Redis connection'),
  })
  const store = openObjectStore({ ...s3Wire(config), onRefused })
  const jobMetrics = workerMetrics(metrics)
  const owner = `${service}-${randomUUID()}`
  const executor = options.openExecutor({
    store,
    redis,
    workerMetrics: jobMetrics,
    metrics,
    logger,
    upstreamHealth: upstreamHealth(redis, owner),
    targetReport: targetReport(metrics, logger),
  })
  const publisher = await openPublisher(kafka)

  const deps: CompleteDeps = {
    execute: executor.execute,
    discard: executor.discard,
    store,
    keyring: config.contentKeys,
    claims: executionClaims(redis),
    publisher,
    eventSchema: config.eventSchema,
    metrics: jobMetrics,
    logger,
    now: Date.now,
    owner,
    leaseMs: config.executionLeaseMs,
  }
  let opening: Promise<ParallelConsumer> | undefined
  let consumer: ParallelConsumer | undefined
  showPublisher(metrics, publisher)

  const internal = await startInternalServer({
    host: config.host,
    port: config.internalPort,
    checks: {
      kafka: () => publisher.state() === 'up' && consumer?.state() === 'up',
      redis: () => redisAnswers(redis),
      s3: () => store.probe(),
      ...executor.checks,
    },
    metrics,
    logger,
  })
  shutDownOnSignal({
    logger,
    graceMs: config.drainGraceMs + CLOSING_MS,
    steps: [
      // One that is told to end while it joins its group drains what it was given there.
      ['drain', async () => void (await (await opening)?.drain(config.drainGraceMs))],
      ['publisher', () => publisher.close()],
      ['upstreams', () => executor.close()],
      ['redis', async () => redis.disconnect()],
      ['store', () => store.close()],
      ['internal server', () => internal.close()],
      ['traces', () => tracing.close()],
    ],
  })

  await executor.canStart?.()
  opening = openParallelConsumer({
    ...kafka,
    groupId: service,
    topics: [topic],
    concurrency: config.concurrency,
    handler: completeJobs(deps),
    deadLetter: { publisher, onDeadLetter: reportDeadLetter(deps) },
  })
  consumer = await opening
  showConsumer(metrics, consumer, config.concurrency)
  logger.info({ port: internal.port, models: executor.models, concurrency: config.concurrency }, 'ready')
}
