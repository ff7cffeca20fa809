import { isTranscriptionModel } from '@turnpike/contracts'
import { openKeyring } from '@turnpike/sealing'
import { type Config, ConfigError, integer, json, list, optional, parsedBy, secret, url } from '@turnpike/service'
import { WORKER_CONFIG } from '@turnpike/worker'

/** Upstream targets by public model, in order of preference. */
export type RouteTable = ReadonlyMap<string, readonly string[]>

/** The one place that names this service's environment variables. */
export const TRANSCRIPTION_WORKER_CONFIG = {
  ...WORKER_CONFIG,
  /** Each job may hold two copies of 25 MiB of audio for as long as its call takes. */
  concurrency: integer('CONCURRENCY', { default: 16, min: 1, max: 4_096 }),
  /** An hour of audio takes minutes, and a call that is left behind is paid to the provider twice. */
  drainGraceMs: integer('DRAIN_GRACE_MS', { default: 120_000, max: 900_000 }),
  /** Wrapping keys of staged audio, as the gateway has them. */
  stagingKeys: optional(parsedBy('STAGING_KEYS', openKeyring)),
  stagingKmsKeys: list('STAGING_KMS_KEYS', { default: [] }),
  stagingKmsEndpoint: optional(url('STAGING_KMS_ENDPOINT', { protocols: ['http:', 'https:'] })),
  elevenlabsBaseUrl: url('ELEVENLABS_BASE_URL', { default: 'https://api.elevenlabs.io' }),
  elevenlabsApiKey: secret('ELEVENLABS_API_KEY'),
  transcriptionRoutes: json('TRANSCRIPTION_ROUTES', parseRoutes),
}
export type TranscriptionWorkerConfig = Config<typeof TRANSCRIPTION_WORKER_CONFIG>

/** What no variable shows by itself. Throws ConfigError. */
export function checkTranscriptionConfig(service: string, config: TranscriptionWorkerConfig): TranscriptionWorkerConfig {
  if (config.stagingKeys === undefined && config.stagingKmsKeys.length === 0) {
    throw new ConfigError(service, ['STAGING_KEYS or STAGING_KMS_KEYS must be set: staged audio is encrypted'])
  }
  return config
}

function parseRoutes(value: unknown): RouteTable {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it must be an object')
  const routes = new Map<string, readonly string[]>()
  for (const [model, targets] of Object.entries(value)) {
    if (!isTranscriptionModel(model)) throw new Error(`${JSON.stringify(model.slice(0, 64))} is not a transcription model`)
    if (!Array.isArray(targets) || targets.length === 0) throw new Error(`${model} must have a list of targets`)
    if (!targets.every((target): target is string => typeof target === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(target))) {
      throw new Error(`${model} has a target that is not a model name`)
    }
    routes.set(model, targets)
  }
  if (routes.size === 0) throw new Error('it must name at least one model')
  return routes
}
