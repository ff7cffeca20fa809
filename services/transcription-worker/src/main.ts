import { audioKeys } from '@turnpike/admission'
import { TOPICS } from '@turnpike/contracts'
import { openElevenLabsTranscription, openTargets } from '@turnpike/providers'
import { loadConfig, runService } from '@turnpike/service'
import { openStagingKeys, sampleKey, stagedAudio } from '@turnpike/storage/staged-audio'
import { startWorker } from '@turnpike/worker'
import { checkTranscriptionConfig, TRANSCRIPTION_WORKER_CONFIG } from './config.ts'
import { executeJob } from './execute-job.ts'
import { watchKeys } from './watch-keys.ts'

const SERVICE = 'transcription-worker'

runService(async () => {
  const config = checkTranscriptionConfig(SERVICE, loadConfig(SERVICE, TRANSCRIPTION_WORKER_CONFIG, process.env))
  const { stagingKeys: keyring, stagingKmsKeys: kmsKeys, stagingKmsEndpoint: kmsEndpoint } = config
  const wrapping = openStagingKeys({ keyring, kmsKeys, kmsEndpoint })
  if (wrapping === undefined) throw new TypeError('the configuration was not checked')
  await startWorker({
    service: SERVICE,
    topic: TOPICS.transcriptionJobs,
    config,
    openExecutor({ store, redis, workerMetrics, logger, upstreamHealth, targetReport }) {
      const upstream = openElevenLabsTranscription({
        baseUrl: config.elevenlabsBaseUrl,
        apiKey: config.elevenlabsApiKey,
        maxConnections: config.concurrency,
      })
      const keys = audioKeys(redis)
      const staging = stagedAudio({ store, keys, provider: wrapping.provider })
      const watchedKeys = watchKeys({ sample: sampleKey({ keys, provider: wrapping.provider }), logger })
      const routes = new Map(
        [...config.transcriptionRoutes].map(([model, targets]) => [model, targets.map((target) => ({ upstream, target }))]),
      )
      return {
        execute: executeJob({
          staging,
          routes,
          targets: openTargets({ ...config, shared: upstreamHealth, report: targetReport }),
          metrics: workerMetrics,
          logger,
          now: Date.now,
        }),
        discard: async ({ audio }) => void (audio === undefined || (await staging.discard(audio))),
        models: [...routes.keys()],
        checks: { keys: watchedKeys.isUp },
        canStart: watchedKeys.firstUp,
        async close() {
          watchedKeys.close()
          await upstream.close()
          wrapping.close()
        },
      }
    },
  })
})
