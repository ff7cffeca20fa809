import { TOPICS } from '@turnpike/contracts'
import { openGemini, openImageFetcher, openTargets } from '@turnpike/providers'
import { loadConfig, runService } from '@turnpike/service'
import { startWorker } from '@turnpike/worker'
import { TEXT_WORKER_CONFIG } from './config.ts'
import { executeJob } from './execute-job.ts'

const SERVICE = 'text-worker'

runService(async () => {
  const config = loadConfig(SERVICE, TEXT_WORKER_CONFIG, process.env)
  await startWorker({
    service: SERVICE,
    topic: TOPICS.textJobs,
    config,
    openExecutor({ workerMetrics, logger, upstreamHealth, targetReport }) {
      const targets = openTargets({ ...config, shared: upstreamHealth, report: targetReport })
      const gemini = openGemini({
        baseUrl: config.geminiBaseUrl,
        apiKey: config.geminiApiKey,
        maxConnections: config.concurrency,
      })
      const routes = new Map(
        [...config.textRoutes].map(([model, targets]) => [model, targets.map((target) => ({ upstream: gemini, target }))]),
      )
      return {
        execute: executeJob({
          routes,
          targets,
          fetchImages: openImageFetcher(),
          metrics: workerMetrics,
          logger,
          now: Date.now,
        }),
        models: [...routes.keys()],
        close: () => gemini.close(),
      }
    },
  })
})
