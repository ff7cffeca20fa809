import {
  createLogger,
  createMetrics,
  loadConfig,
  openTracing,
  runService,
  shutDownOnSignal,
  startInternalServer,
} from '@turnpike/service'
import { FacilitatorConfig, refuseOpenHouse } from './config.ts'
import { startFacilitator } from './start-facilitator.ts'

runService(async () => {
  const settings = loadConfig('facilitator', FacilitatorConfig, process.env)
  refuseOpenHouse(settings)
  const logger = createLogger({ service: 'facilitator', format: settings.logFormat, level: settings.logLevel })
  const metrics = createMetrics('facilitator')
  const tracing = await openTracing({ service: 'facilitator', env: process.env, metrics, logger })
  const facilitator = await startFacilitator(settings, { logger, metrics })
  const internal = await startInternalServer({
    host: settings.host,
    port: settings.internalPort,
    checks: facilitator.checks,
    metrics,
    logger,
  })
  shutDownOnSignal({
    logger,
    graceMs: settings.shutdownGraceMs,
    steps: [
      ['settlements', () => facilitator.close()],
      ['internal server', () => internal.close()],
      ['traces', () => tracing.close()],
    ],
  })
})
