import { createServer } from 'node:http'
import {
  audioKeys,
  closedUpstreams,
  keyClaims,
  listenForReleases,
  openRedis,
  payerClaims,
  redisAnswers,
  releaseAnnouncer,
  totalClaims,
} from '@turnpike/admission'
import { catalogOf, prices, usePrices } from '@turnpike/catalog'
import { isTranscriptionModel } from '@turnpike/contracts'
import { openPublisher } from '@turnpike/kafka'
import { openChainRpc, openFacilitatorClient } from '@turnpike/payments'
import {
  bearerHeader,
  closeServer,
  createLogger,
  kafkaWire,
  listen,
  loadConfig,
  openTracing,
  redisWire,
  runService,
  s3Wire,
  shutDownOnSignal,
  startInternalServer,
} from '@turnpike/service'
import { openObjectStore } from '@turnpike/storage'
import { openStagingKeys, sampleKey, stagedAudio } from '@turnpike/storage/staged-audio'
import { openAdmissionGate } from './admission-gate.ts'
import { createApp } from './app.ts'
import { walletBalances } from './chain/wallet-balances.ts'
import { watchClosedModels } from './closed-models.ts'
import { checkGatewayConfig, GATEWAY_VARIABLES } from './config.ts'
import { PAID } from './endpoints/paid-endpoints.ts'
import { facilitatorCheck } from './facilitator-check.ts'
import { openBodyRoom } from './http/byte-budget.ts'
import { refuseUnreadable } from './http/refuse-unreadable.ts'
import { openLedgerClient } from './ledger/ledger-client.ts'
import { openMediaStores } from './media/open-media-stores.ts'
import { gatewayMetrics } from './metrics.ts'
import { openBodyReader } from './paid/body-reader.ts'
import { payerBalances } from './paid/payer-balances.ts'
import { payerCode } from './paid/payer-code.ts'
import { safetyChecks } from './safety/safety-checks.ts'
import { showState } from './show-state.ts'
import { closeWithoutKeys } from './transcription/close-without-keys.ts'

const CHAIN_TIMEOUT_MS = 5_000
const VERIFY_TIMEOUT_MS = 10_000
// A client may take this long to send its request; a slower one is cut off.
const REQUEST_TIMEOUT_MS = 120_000
// Official clients echo the whole challenge inside PAYMENT-SIGNATURE, which is read up to 32 KiB.
const MAX_HEADER_BYTES = 64 * 1024

runService(async () => {
  const config = checkGatewayConfig(loadConfig('gateway', GATEWAY_VARIABLES, process.env))
  const logger = createLogger({ service: 'gateway', format: config.logFormat, level: config.logLevel })
  const metrics = gatewayMetrics()
  const tracing = await openTracing({ service: 'gateway', env: process.env, metrics, logger })
  const now = Date.now

  const onRefused = (sentence: string) => logger.error({}, sentence)
  const onError = (error: Error) => logger.debug({ error }, 'redis')
  const redisAt = redisWire('gateway', config)
  const redis = openRedis(redisAt, { name: 'gateway', onError, onRefused })
  const subscriber = openRedis(redisAt, { name: 'gateway-releases', onError })
  const rpc = openChainRpc({ url: config.chainRpcUrl, timeoutMs: CHAIN_TIMEOUT_MS })
  const facilitator = openFacilitatorClient({
    url: config.facilitatorUrl,
    timeoutMs: VERIFY_TIMEOUT_MS,
    headers: bearerHeader(config.facilitatorToken),
    tlsCa: config.facilitatorTlsCa,
  })
  const ledger = openLedgerClient({
    urls: config.ledgerUrls,
    token: config.internalToken[0],
    tlsCa: config.ledgerTlsCa,
    onRefused,
    observe: (result, seconds) => metrics.lookupWait.observe({ result }, seconds),
  })
  const publisher = await openPublisher({ ...kafkaWire('gateway', config), clientId: 'gateway', logger })
  const s3 = s3Wire(config)
  const store = openObjectStore({ ...s3, onRefused })
  const wrapping = openStagingKeys({
    keyring: config.stagingKeys,
    kmsKeys: config.stagingKmsKeys,
    kmsEndpoint: config.stagingKmsEndpoint,
  })
  const stagingKeys = audioKeys(redis)
  const sample = wrapping && sampleKey({ keys: stagingKeys, provider: wrapping.provider })
  const mediaStores = openMediaStores(s3, config)
  const gate = await openAdmissionGate({
    checks: {
      kafka: () => publisher.state() === 'up',
      redis: () => redisAnswers(redis),
      ledger: () => ledger.ready(),
      s3: () => store.probe(),
      facilitator: facilitatorCheck({ facilitator, tell: onRefused }),
    },
    maxInFlight: config.maxInFlight,
    logger,
  })
  const closedModels = await closeWithoutKeys({
    closedModels: watchClosedModels({ closedTargets: closedUpstreams(redis), now, logger }),
    models: wrapping === undefined ? [] : config.enabledModels.filter(isTranscriptionModel),
    keysAnswer: async () => (await sample?.isOpened()) ?? true,
    logger,
  })
  const payers = payerClaims(redis)
  const total = totalClaims(redis)
  const releases = listenForReleases(subscriber)
  if (config.catalogPrices !== undefined) usePrices(config.catalogPrices)
  const bodyReader = openBodyReader({ prices: prices() })
  const bodies = openBodyRoom({ maxBytes: config.maxBodyBytesInMemory })
  showState(metrics, { ...config, gate, closedModels, models: config.enabledModels, total, bodies, ledger, publisher })
  const shutdown = new AbortController()
  const app = createApp(
    {
      ...config,
      catalog: catalogOf(
        config.enabledModels,
        PAID.map((endpoint) => endpoint.path),
      ),
      keys: keyClaims(redis),
      payers,
      total,
      safety: safetyChecks(config),
      balances: payerBalances({ rpc, payers, now }),
      payerCode: payerCode({ rpc, now }),
      wallets: walletBalances({ rpc, now }),
      announcer: releaseAnnouncer(redis),
      releases,
      ledger,
      facilitator,
      rpc,
      publisher,
      store,
      staging: wrapping && stagedAudio({ store, keys: stagingKeys, provider: wrapping.provider }),
      mediaStore: mediaStores.reading,
      mediaStoreIsUp: () => gate.states().s3 !== false,
      mediaRedirects: mediaStores.redirects,
      gate,
      closedModels,
      bodies,
      bodyReader,
      metrics,
      logger,
      now,
    },
    shutdown.signal,
  )
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: 20_000, keepAliveTimeout: 65_000, maxHeaderSize: MAX_HEADER_BYTES },
    app,
  )
  server.on('clientError', (error, socket) => refuseUnreadable(`${config.publicBaseUrl}/docs`, error, socket))
  // An expectation that nobody knows is nobody's concern; Node's own answer would be a 417 without a body or an id.
  server.on('checkExpectation', app)
  const internal = await startInternalServer({
    host: config.host,
    port: config.internalPort,
    checks: Object.fromEntries(Object.keys(gate.states()).map((name) => [name, () => gate.states()[name] === true])),
    metrics,
    logger,
  })
  await listen(server, config.port, config.host)
  logger.info({ port: config.port, models: config.enabledModels.length }, 'listening')

  shutDownOnSignal({
    logger,
    graceMs: config.shutdownGraceMs + 5_000,
    steps: [
      [
        'http',
        async () => {
          // Most waits end by themselves; who still waits after the grace is told to come back, and the job goes on.
          const release = setTimeout(() => shutdown.abort(), config.shutdownGraceMs / 2)
          await closeServer(server)
          clearTimeout(release)
        },
      ],
      ['bodies', () => bodyReader.close()],
      ['admission', () => gate.close()],
      ['closed models', () => closedModels.close()],
      ['kafka', () => publisher.close()],
      ['releases', () => releases.close()],
      ['redis', () => redis.disconnect()],
      ['facilitator', () => facilitator.close()],
      ['ledger', () => ledger.close()],
      ['store', () => store.close()],
      ['key service', () => wrapping?.close()],
      ['media', () => mediaStores.close()],
      ['internal', () => internal.close()],
      ['traces', () => tracing.close()],
    ],
  })
})
