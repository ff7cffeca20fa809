import { readPriceList } from '@turnpike/catalog'
import { isTranscriptionModel, MODELS, type Model } from '@turnpike/contracts'
import { openKeyring, openTokenKeys } from '@turnpike/sealing'
import {
  atomicUsdc,
  bearerTokens,
  type Config,
  ConfigError,
  certificates,
  integer,
  KAFKA_VARIABLES,
  list,
  oneOf,
  optional,
  parsedBy,
  port,
  REDIS_VARIABLES,
  S3_VARIABLES,
  text,
  url,
  type Variable,
} from '@turnpike/service'

/** Every environment variable of the gateway. */
export const GATEWAY_VARIABLES = {
  host: text('HOST', { default: '127.0.0.1' }),
  port: port('PORT', { default: 8402 }),
  internalPort: port('INTERNAL_PORT'),
  publicBaseUrl: url('PUBLIC_BASE_URL', { protocols: ['http:', 'https:'] }),
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  ...KAFKA_VARIABLES,
  ...REDIS_VARIABLES,
  ledgerUrls: list('LEDGER_URL'),
  /** The only authority that is trusted for an https ledger; the public ones when unset. */
  ledgerTlsCa: optional(certificates('LEDGER_TLS_CA')),
  internalToken: bearerTokens('INTERNAL_TOKEN'),
  facilitatorUrl: url('FACILITATOR_URL', { protocols: ['http:', 'https:'] }),
  /** Bearer token for a facilitator that asks for one. */
  facilitatorToken: optional(bearerTokens('FACILITATOR_TOKEN')),
  /** The only authority that is trusted for an https facilitator; the public ones when unset. */
  facilitatorTlsCa: optional(certificates('FACILITATOR_TLS_CA')),
  chainRpcUrl: url('CHAIN_RPC_URL', { protocols: ['http:', 'https:'] }),
  payTo: text('PAY_TO', { pattern: /^0x[0-9a-fA-F]{40}$/, hint: 'an address of 0x and 40 hex digits' }),
  contentKeys: parsedBy('CONTENT_KEYS', openKeyring),
  receiptTokenKeys: parsedBy('RECEIPT_TOKEN_KEYS', openTokenKeys),
  ...S3_VARIABLES,
  mediaCapabilityKeys: parsedBy('MEDIA_CAPABILITY_KEYS', openKeyring),
  /** Wrap the data keys of staged audio: a keyring, or ARNs of AWS KMS keys. The first of a list wraps, the others still unwrap. */
  stagingKeys: optional(parsedBy('STAGING_KEYS', openKeyring)),
  stagingKmsKeys: list('STAGING_KMS_KEYS', { default: [] }),
  stagingKmsEndpoint: optional(url('STAGING_KMS_ENDPOINT', { protocols: ['http:', 'https:'] })),
  /** `stream` sends hosted files itself; `redirect` sends clients to the store for what lies there in plain. */
  mediaDelivery: oneOf('MEDIA_DELIVERY', ['stream', 'redirect'], { default: 'stream' }),
  /** Where clients reach the store or the CDN before it, for redirects. */
  mediaRedirectEndpoint: optional(url('MEDIA_REDIRECT_ENDPOINT', { protocols: ['http:', 'https:'] })),
  maxMediaDownloads: integer('MAX_MEDIA_DOWNLOADS', { min: 1, max: 10_000, default: 500 }),
  enabledModels: models('ENABLED_MODELS'),
  /** Prices of the operator's own, JSON (docs/prices.md); the published ones where it names none. */
  catalogPrices: optional(parsedBy('CATALOG_PRICES', readPriceList)),
  /** Shortens every provider deadline, for trying faults. */
  providerTimeoutMs: optional(integer('PROVIDER_TIMEOUT_MS', { min: 1 })),
  /** How long past the provider deadline a client is kept waiting. */
  waitBeyondDeadlineMs: integer('WAIT_BEYOND_DEADLINE_MS', { min: 0, default: 30_000 }),
  /** How long a client is kept waiting for a settlement that only the chain can decide. */
  waitForUnknownSettlementMs: integer('WAIT_FOR_UNKNOWN_SETTLEMENT_MS', { min: 0, default: 5_000 }),
  /** What a payer that never settled a payment here may have unsettled. */
  newPayerExposureCeilingAtomic: atomicUsdc('NEW_PAYER_EXPOSURE_CEILING_ATOMIC', { default: 5_000_000n }),
  /** What all payers together may have unsettled. */
  totalExposureCeilingAtomic: atomicUsdc('TOTAL_EXPOSURE_CEILING_ATOMIC', { default: 1_000_000_000n }),
  /** Requests of one client a minute; it is known by its address. */
  clientRateLimitPerMinute: integer('CLIENT_RATE_LIMIT_PER_MINUTE', { min: 1, default: 6_000 }),
  /** How many proxies of ours stand before the gateway: that many hops of X-Forwarded-For are believed. */
  trustedProxies: integer('TRUSTED_PROXIES', { min: 0, max: 10, default: 0 }),
  /** Payers that are refused. */
  payerDenyList: list('PAYER_DENY_LIST', { default: [] }),
  /** POST {"payer"}, answered by {"allowed": true | false}. */
  payerScreeningUrl: optional(url('PAYER_SCREENING_URL')),
  /** POST {"endpoint", "model", "request"}, answered by {"allowed": true | false}. */
  moderationUrl: optional(url('MODERATION_URL')),
  safetyTimeoutMs: integer('SAFETY_TIMEOUT_MS', { min: 1, default: 3_000 }),
  /** Bytes of request bodies in memory at once. */
  maxBodyBytesInMemory: integer('MAX_BODY_BYTES_IN_MEMORY', { min: 1_048_576, default: 268_435_456 }),
  maxInFlight: integer('MAX_IN_FLIGHT', { min: 1, default: 5_000 }),
  shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', { min: 0, default: 10_000 }),
}
export type GatewayConfig = Config<typeof GATEWAY_VARIABLES>

/** What no variable shows by itself. Throws ConfigError. */
export function checkGatewayConfig(config: GatewayConfig): GatewayConfig {
  const hasKey = config.stagingKeys !== undefined || config.stagingKmsKeys.length > 0
  if (hasKey || !config.enabledModels.some(isTranscriptionModel)) return config
  throw new ConfigError('gateway', [
    'STAGING_KEYS or STAGING_KMS_KEYS must be set to offer transcription: staged audio is encrypted',
  ])
}

function models(name: string): Variable<readonly Model[]> {
  return parsedBy(name, (value) => {
    const named = value.split(',').map((model) => model.trim())
    const unknown = named.filter((model) => !(MODELS as readonly string[]).includes(model))
    if (unknown.length > 0) throw new Error(`no such model: ${unknown.join(', ')}`)
    return named as Model[]
  })
}
