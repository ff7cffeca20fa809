import { randomUUID } from 'node:crypto'
import { openRedis, payerClaims, redisAnswers, releaseAnnouncer, totalClaims } from '@turnpike/admission'
import { JOB_TOPICS, TOPICS } from '@turnpike/contracts'
import { openParallelConsumer, openPublisher, showConsumer, showPublisher } from '@turnpike/kafka'
import { openChainRpc, openFacilitatorClient, readBlockNumber } from '@turnpike/payments'
import {
  bearerHeader,
  createLogger,
  createMetrics,
  databaseWire,
  kafkaWire,
  loadConfig,
  openTracing,
  redisWire,
  runService,
  s3Wire,
  serverWire,
  shutDownOnSignal,
  startInternalServer,
} from '@turnpike/service'
import { openObjectStore } from '@turnpike/storage'
import { Agent } from 'undici'
import { openBlockClock } from './block-clock.ts'
import { CONFIG } from './config.ts'
import { handleEvent } from './consume-events.ts'
import { databaseAnswers, openDatabase } from './database.ts'
import { internalApi } from './internal-api.ts'
import { ledgerMetrics } from './ledger-metrics.ts'
import { notifier } from './notify.ts'
import { openLedger, runLedgerLoops } from './open-ledger.ts'
import { reportOwnRights } from './own-rights.ts'
import { observeOpenMoney } from './state-gauges.ts'

const GRACE_MS = 25_000
const DRAIN_MS = 15_000

runService(async () => {
  const config = loadConfig('ledger', CONFIG, process.env)
  const logger = createLogger({ service: 'ledger', format: config.logFormat, level: config.logLevel })
  const metrics = createMetrics('ledger')
  const tracing = await openTracing({ service: 'ledger', env: process.env, metrics, logger })
  const now = () => Date.now()

  const { connectionString, ssl } = databaseWire('ledger', { url: config.databaseUrl, tlsCa: config.databaseTlsCa })
  const database = openDatabase({
    url: connectionString,
    ssl,
    connections: config.databaseConnections,
    preparedStatements: config.preparedStatements === 'on',
  })
  void reportOwnRights({ database, logger })
  const onRefused = (sentence: string) => logger.error({}, sentence)
  const redis = openRedis(redisWire('ledger', config), {
    name: 'ledger',
    onRefused,
    onError: (error) => logger.debug({ error }, 'Redis does not answer'),
  })
  const store = openObjectStore({ ...s3Wire(config), onRefused })
  const chain = openChainRpc({ url: config.chainRpcUrl, timeoutMs: config.chainTimeoutMs })
  const facilitatorConnections = new Agent({
    connections: config.settlementsAtOnce,
    pipelining: 1,
    ...(config.facilitatorTlsCa === undefined ? {} : { connect: { ca: config.facilitatorTlsCa } }),
  })
  const facilitator = openFacilitatorClient({
    url: config.facilitatorUrl,
    timeoutMs: config.settleTimeoutMs,
    settleTimeoutMs: config.settleTimeoutMs,
    headers: bearerHeader(config.facilitatorToken),
    dispatcher: facilitatorConnections,
  })
  const kafka = { ...kafkaWire('ledger', config), clientId: 'ledger', logger }
  const publisher = await openPublisher(kafka)

  const [signingKey] = config.receiptSigningKeys
  const deps = {
    database,
    facilitator,
    chain,
    keyring: config.contentKeys,
    store,
    publisher,
    eventSchema: config.eventSchema,
    notify: notifier({ payers: payerClaims(redis), total: totalClaims(redis), announcer: releaseAnnouncer(redis), logger }),
    metrics: ledgerMetrics(metrics),
    logger,
    signingKey,
    owner: randomUUID(),
    leaseMs: config.leaseMs,
    confirmations: config.confirmations,
    confirmWaitMs: config.confirmWaitMs,
    settlementsAtOnce: config.settlementsAtOnce,
    graceMs: config.graceMs,
    now,
    blocks: openBlockClock({ readBlockNumber: () => readBlockNumber(chain), now }),
  }
  const ledger = openLedger(deps)
  const consumer = await openParallelConsumer({
    ...kafka,
    groupId: 'ledger',
    topics: [...JOB_TOPICS, TOPICS.outcomes],
    concurrency: config.concurrency,
    handler: handleEvent({ recordJob: ledger.recordJob, commitOutcome: ledger.commitOutcome, now }),
    deadLetter: { publisher },
    retry: { initialMs: 50, maxMs: 5_000 },
  })
  const loops = runLedgerLoops(ledger, deps)
  showConsumer(metrics, consumer, config.concurrency)
  showPublisher(metrics, publisher)
  observeOpenMoney(deps.metrics, database)

  const server = await startInternalServer({
    host: config.host,
    port: config.internalPort,
    tls: serverWire('ledger', config),
    metrics,
    logger,
    checks: {
      postgres: () => databaseAnswers(database),
      kafka: () => consumer.state() === 'up' && publisher.state() === 'up',
      redis: () => redisAnswers(redis),
      s3: () => store.probe(),
      chain: async () => (await readBlockNumber(chain)) >= 0n,
    },
    handle: internalApi({
      database,
      tokens: { commanding: config.internalToken, reading: config.auditToken ?? [] },
      signingKeys: config.receiptSigningKeys,
      settleStored: ledger.settleStored,
    }),
  })
  logger.info({ port: server.port }, 'ledger ready')

  shutDownOnSignal({
    logger,
    graceMs: GRACE_MS,
    steps: [
      ['http', () => server.close()],
      ['consumer', () => consumer.drain(DRAIN_MS).then(() => undefined)],
      ['loops', () => loops.stop()],
      ['publisher', () => publisher.close()],
      ['facilitator', () => facilitatorConnections.destroy()],
      ['redis', () => redis.disconnect()],
      ['store', () => store.close()],
      ['database', () => database.$disconnect()],
      ['traces', () => tracing.close()],
    ],
  })
})
