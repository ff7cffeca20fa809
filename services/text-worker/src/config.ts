import { isTextModel } from '@turnpike/contracts'
import { openKeyring } from '@turnpike/sealing'
import { type Config, flag, integer, json, list, oneOf, optional, parsedBy, port, secret, text, url } from '@turnpike/service'

/** The one place that names this service's environment variables. */
export const TEXT_WORKER_CONFIG = {
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  host: text('HOST', { default: '127.0.0.1' }),
  internalPort: port('INTERNAL_PORT'),
  kafkaBrokers: list('KAFKA_BROKERS'),
  redisUrl: url('REDIS_URL', { protocols: ['redis:', 'rediss:'] }),
  contentKeys: parsedBy('CONTENT_KEYS', openKeyring),
  s3Endpoint: optional(url('S3_ENDPOINT')),
  s3Region: text('S3_REGION', { default: 'us-east-1' }),
  s3Bucket: text('S3_BUCKET'),
  s3AccessKeyId: optional(text('S3_ACCESS_KEY_ID')),
  s3SecretAccessKey: optional(secret('S3_SECRET_ACCESS_KEY')),
  s3ForcePathStyle: flag('S3_FORCE_PATH_STYLE', { default: false }),
  geminiBaseUrl: url('GEMINI_BASE_URL', { default: 'https://generativelanguage.googleapis.com' }),
  geminiApiKey: secret('GEMINI_API_KEY'),
  textRoutes: json('TEXT_ROUTES', parseTextRoutes),
  /** Jobs at once. A job is one waiting HTTP call, so this bounds memory and connections rather than CPU. */
  concurrency: integer('CONCURRENCY', { default: 64, min: 1, max: 4_096 }),
  /** A worker that died keeps its jobs from the others for this long. Above any pause of a healthy process. */
  executionLeaseMs: integer('EXECUTION_LEASE_MS', { default: 6_000, min: 1_000, max: 300_000 }),
  /** How long running calls may go on after SIGTERM before their jobs are left to another worker. */
  drainGraceMs: integer('DRAIN_GRACE_MS', { default: 10_000, max: 900_000 }),
}
export type TextWorkerConfig = Config<typeof TEXT_WORKER_CONFIG>

/** Upstream targets by public model, in order of preference. */
export type TextRouteTable = ReadonlyMap<string, readonly string[]>

function parseTextRoutes(value: unknown): TextRouteTable {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it must be an object')
  const routes = new Map<string, readonly string[]>()
  for (const [model, targets] of Object.entries(value)) {
    if (!isTextModel(model)) throw new Error(`${JSON.stringify(model.slice(0, 64))} is not a text model`)
    if (!Array.isArray(targets) || targets.length === 0) throw new Error(`${model} must have a list of targets`)
    routes.set(
      model,
      targets.map((target: unknown) => {
        if (typeof target !== 'string' || !/^[A-Za-z0-9._-]{1,128}$/.test(target)) {
          throw new Error(`${model} has a target that is not a model name`)
        }
        return target
      }),
    )
  }
  if (routes.size === 0) throw new Error('it must hold at least one model')
  return routes
}
