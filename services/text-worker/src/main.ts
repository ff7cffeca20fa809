import { randomUUID } from 'node:crypto'
import { executionClaims, openRedis, redisAnswers } from '@turnpike/admission'
import { TOPICS } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher } from '@turnpike/kafka'
import { openGemini, type TextRoute } from '@turnpike/providers'
import { createLogger, createMetrics, loadConfig, runService, shutDownOnSignal, startInternalServer } from '@turnpike/service'
import { openObjectStore } from '@turnpike/storage'
import { type CompleteDeps, completeTextJobs, reportDeadLetter } from './complete-text-jobs.ts'
import { TEXT_WORKER_CONFIG } from './config.ts'
import { consumerMetrics, workerMetrics } from './worker-metrics.ts'

const SERVICE = 'text-worker'
/** For the commit, leaving the group and closing connections, after the drain. */
const CLOSING_MS = 12_000

runService(async () => {
  const config = loadConfig(SERVICE, TEXT_WORKER_CONFIG, process.env)
  const logger = createLogger({ service: SERVICE, format: config.logFormat, level: config.logLevel })
  const metrics = createMetrics(SERVICE)
  const kafka = { brokers: config.kafkaBrokers, clientId: SERVICE, logger }

  const redis = openRedis(config.redisUrl, {
    name: SERVICE,
    onError: (error) => logger.warn({ error }, 'Redis connection'),
  })
  const store = openObjectStore({
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    bucket: config.s3Bucket,
    accessKeyId: config.s3AccessKeyId,
    secretAccessKey: config.s3SecretAccessKey,
    forcePathStyle: config.s3ForcePathStyle,
  })
  const gemini = openGemini({
    baseUrl: config.geminiBaseUrl,
    apiKey: config.geminiApiKey,
    maxConnections: config.concurrency,
  })
  const publisher = await openPublisher(kafka)

  const deps: CompleteDeps = {
    routes: new Map<string, TextRoute>(
      [...config.textRoutes].map(([model, targets]) => [model, targets.map((target) => ({ upstream: gemini, target }))]),
    ),
    store,
    keyring: config.contentKeys,
    claims: executionClaims(redis),
    publisher,
    metrics: workerMetrics(metrics),
    logger,
    now: Date.now,
    owner: `${SERVICE}-${randomUUID()}`,
    leaseMs: config.executionLeaseMs,
  }
  const consumer = await openParallelConsumer({
    ...kafka,
    groupId: SERVICE,
    topics: [TOPICS.textJobs],
    concurrency: config.concurrency,
    handler: completeTextJobs(deps),
    deadLetter: { publisher, onDeadLetter: reportDeadLetter(deps) },
  })
  consumerMetrics(metrics, consumer)

  const internal = await startInternalServer({
    host: config.host,
    port: config.internalPort,
    checks: {
      kafka: () => publisher.state() === 'up' && consumer.state() === 'up',
      redis: () => redisAnswers(redis),
      s3: () => store.probe(),
    },
    metrics,
    logger,
  })
  logger.info({ port: internal.port, models: [...config.textRoutes.keys()], concurrency: config.concurrency }, 'ready')

  shutDownOnSignal({
    logger,
    graceMs: config.drainGraceMs + CLOSING_MS,
    steps: [
      ['drain', async () => void (await consumer.drain(config.drainGraceMs))],
      ['publisher', () => publisher.close()],
      ['upstream', () => gemini.close()],
      ['redis', async () => redis.disconnect()],
      ['store', () => store.close()],
      ['internal server', () => internal.close()],
    ],
  })
})
