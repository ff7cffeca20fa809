import { TOPICS } from '@turnpike/contracts'
import { openElevenLabsSpeech, openGeminiImages, openTargets } from '@turnpike/providers'
import { loadConfig, runService } from '@turnpike/service'
import { startWorker } from '@turnpike/worker'
import sharp from 'sharp'
import { checkMediaConfig, MEDIA_WORKER_CONFIG, type RouteTable } from './config.ts'
import { executeJob } from './execute-job.ts'

const SERVICE = 'media-worker'

runService(async () => {
  const config = checkMediaConfig(SERVICE, loadConfig(SERVICE, MEDIA_WORKER_CONFIG, process.env))
  // Every image is another one: a cache of decoded ones only takes memory. One thread each, as many at once as libuv has.
  sharp.cache(false)
  sharp.concurrency(1)
  await startWorker({
    service: SERVICE,
    topic: TOPICS.mediaJobs,
    config,
    openExecutor({ store, workerMetrics, logger, upstreamHealth, targetReport }) {
      const { concurrency: maxConnections, contentKeys, mediaCapabilityKeys: capabilityKeys, mediaAtRest: atRest } = config
      const images = openGeminiImages({ baseUrl: config.geminiBaseUrl, apiKey: config.geminiApiKey ?? '', maxConnections })
      const speech = openElevenLabsSpeech({
        baseUrl: config.elevenlabsBaseUrl,
        apiKey: config.elevenlabsApiKey ?? '',
        maxConnections,
        voices: config.voices,
      })
      return {
        execute: executeJob({
          targets: openTargets({ ...config, shared: upstreamHealth, report: targetReport }),
          imageRoutes: routesTo(images, config.imageRoutes),
          speechRoutes: routesTo(speech, config.speechRoutes),
          hosting: { store, contentKeys, capabilityKeys, atRest, now: Date.now },
          publicBaseUrl: config.publicBaseUrl,
          metrics: workerMetrics,
          logger,
        }),
        models: [...config.imageRoutes.keys(), ...config.speechRoutes.keys()],
        close: async () => void (await Promise.all([images.close(), speech.close()])),
      }
    },
  })
})

function routesTo<Upstream>(upstream: Upstream, routes: RouteTable) {
  return new Map([...routes].map(([model, targets]) => [model, targets.map((target) => ({ upstream, target }))]))
}
