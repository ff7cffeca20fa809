import { EVENT_SCHEMAS } from '@turnpike/contracts'
import { type Ed25519PrivateJwk, openKeyring } from '@turnpike/sealing'
import {
  bearerTokens,
  certificates,
  integer,
  json,
  KAFKA_VARIABLES,
  oneOf,
  optional,
  parsedBy,
  port,
  REDIS_VARIABLES,
  S3_VARIABLES,
  SERVER_VARIABLES,
  text,
  url,
} from '@turnpike/service'

/** The environment of the ledger: the only place that names it. */
export const CONFIG = {
  host: text('HOST', { default: '127.0.0.1' }),
  internalPort: port('INTERNAL_PORT'),
  ...SERVER_VARIABLES,
  internalToken: bearerTokens('INTERNAL_TOKEN'),
  /** For the auditor, who reads and commands nothing. It may use the internal token when unset. */
  auditToken: optional(bearerTokens('AUDIT_TOKEN')),
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  databaseUrl: url('DATABASE_URL', { protocols: ['postgres:', 'postgresql:'] }),
  /** The only authority that is trusted for Postgres; it turns TLS on. */
  databaseTlsCa: optional(certificates('DATABASE_TLS_CA')),
  databaseConnections: integer('DATABASE_CONNECTIONS', { default: 24, min: 2, max: 500 }),
  /** `off` behind a pooler that gives a session's next statement to another server connection and keeps no statements for it. */
  preparedStatements: oneOf('DATABASE_PREPARED_STATEMENTS', ['on', 'off'], { default: 'on' }),
  ...KAFKA_VARIABLES,
  ...REDIS_VARIABLES,
  contentKeys: parsedBy('CONTENT_KEYS', openKeyring),
  ...S3_VARIABLES,
  facilitatorUrl: url('FACILITATOR_URL', { protocols: ['http:', 'https:'] }),
  /** For a facilitator that asks for one. */
  facilitatorToken: optional(bearerTokens('FACILITATOR_TOKEN')),
  /** The only authority that is trusted for an https facilitator; the public ones when unset. */
  facilitatorTlsCa: optional(certificates('FACILITATOR_TLS_CA')),
  chainRpcUrl: url('CHAIN_RPC_URL', { protocols: ['http:', 'https:'] }),
  receiptSigningKeys: json('RECEIPT_SIGNING_KEYS', parseSigningKeys),
  /** `current` once every ledger is of this release: see docs/decisions/0023-event-schemas.md. */
  eventSchema: oneOf('EVENT_SCHEMA', EVENT_SCHEMAS, { default: 'previous' }),
  /** Blocks that hold a transfer or were built on it before it counts. */
  confirmations: integer('CONFIRMATIONS', { default: 1, min: 1, max: 100 }),
  /** Outcomes and jobs in work at once. */
  concurrency: integer('CONCURRENCY', { default: 128, min: 1, max: 5_000 }),
  /** Outlasts the facilitator's own wait for a block; a payment without an answer by then is decided from the chain. */
  settleTimeoutMs: integer('SETTLE_TIMEOUT_MS', { default: 50_000, min: 1_000 }),
  /** Settlements under way at once, and connections to the facilitator. */
  settlementsAtOnce: integer('SETTLEMENTS_AT_ONCE', { default: 512, min: 1, max: 10_000 }),
  /** How long our own node may take to show a transfer that the facilitator reported. */
  confirmWaitMs: integer('CONFIRM_WAIT_MS', { default: 10_000, min: 0 }),
  chainTimeoutMs: integer('CHAIN_TIMEOUT_MS', { default: 5_000, min: 100 }),
  /** After a deadline, before a job without an outcome counts as ambiguous. */
  graceMs: integer('OVERDUE_GRACE_MS', { default: 10_000, min: 0 }),
  /** A replica that dies loses its payments to the others after this. */
  leaseMs: integer('PAYMENT_LEASE_MS', { default: 10_000, min: 1_000 }),
}

function parseSigningKeys(value: unknown): readonly [Ed25519PrivateJwk, ...Ed25519PrivateJwk[]] {
  const [active, ...others] = Array.isArray(value) ? value : []
  if (active === undefined) throw new Error('it must be a JSON array of at least one Ed25519 private JWK')
  const keys = [active, ...others].map((key: unknown, index) => {
    if (!isSigningKey(key)) throw new Error(`key ${index + 1} is not an Ed25519 private JWK with a kid`)
    return key
  })
  if (new Set(keys.map((key) => key.kid)).size !== keys.length) throw new Error('a kid stands twice')
  const [first, ...rest] = keys
  if (first === undefined) throw new Error('it must hold at least one key')
  return [first, ...rest]
}

function isSigningKey(key: unknown): key is Ed25519PrivateJwk {
  if (typeof key !== 'object' || key === null) return false
  const { kty, crv, kid, x, d } = key as Record<string, unknown>
  return kty === 'OKP' && crv === 'Ed25519' && [kid, x, d].every((part) => typeof part === 'string' && part !== '')
}
