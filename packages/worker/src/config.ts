import { EVENT_SCHEMAS } from '@turnpike/contracts'
import { openKeyring } from '@turnpike/sealing'
import {
  type Config,
  integer,
  KAFKA_VARIABLES,
  oneOf,
  parsedBy,
  port,
  REDIS_VARIABLES,
  S3_VARIABLES,
  text,
} from '@turnpike/service'

/** The environment variables that every worker has; each spreads them into its own table. */
export const WORKER_CONFIG = {
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  host: text('HOST', { default: '127.0.0.1' }),
  internalPort: port('INTERNAL_PORT'),
  ...KAFKA_VARIABLES,
  ...REDIS_VARIABLES,
  contentKeys: parsedBy('CONTENT_KEYS', openKeyring),
  ...S3_VARIABLES,
  /** `current` once every ledger is of this release: see docs/decisions/0023-event-schemas.md. */
  eventSchema: oneOf('EVENT_SCHEMA', EVENT_SCHEMAS, { default: 'previous' }),
  /** Jobs at once. A job is one waiting HTTP call, so this bounds memory and connections rather than CPU. */
  concurrency: integer('CONCURRENCY', { default: 64, min: 1, max: 4_096 }),
  /** A worker that died keeps its jobs from the others for this long. Above any pause of a healthy process. */
  executionLeaseMs: integer('EXECUTION_LEASE_MS', { default: 6_000, min: 1_000, max: 300_000 }),
  /** Failures of an upstream target in a row, of all jobs, after which it is left alone for a while. */
  breakerFailures: integer('BREAKER_FAILURES', { default: 5, min: 1, max: 1_000 }),
  /** For how long at first; twice as long each time it fails again, up to the longest. */
  breakerOpenMs: integer('BREAKER_OPEN_MS', { default: 5_000, min: 100, max: 600_000 }),
  breakerMaxOpenMs: integer('BREAKER_MAX_OPEN_MS', { default: 30_000, min: 100, max: 3_600_000 }),
  /** How long running calls may go on after SIGTERM before their jobs are left to another worker. */
  drainGraceMs: integer('DRAIN_GRACE_MS', { default: 10_000, max: 900_000 }),
}
export type WorkerConfig = Config<typeof WORKER_CONFIG>
