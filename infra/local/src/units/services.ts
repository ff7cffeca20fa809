import { callerWires, databaseCa, dataWires, facilitatorToken, serverFiles } from './guarded-environment.ts'
import { mediaModels, mediaRoutes } from './media-models.ts'
import type { ServiceName } from './service-names.ts'
import type { Wiring } from './wiring.ts'
import { yoursOr } from './yours-or.ts'

/** One row per service: adding one to the stack is adding a row here and its name to service-names.ts. */
interface ServiceRow {
  readonly name: ServiceName
  /** Has a port of its own for clients, beside the internal one. */
  readonly hasPublicPort: boolean
  readonly needs: readonly string[]
  readonly stopRank: number
  readonly env: (wiring: Wiring) => Record<string, string>
}

const textModels = ['3.6-flash', '3.5-flash-lite', '3.5-flash', '3.1-flash-lite', '2.5-flash', '2.5-pro', '2.5-flash-lite']
const transcriptionModel = 'el/scribe-v2'

export const services: readonly ServiceRow[] = [
  {
    name: 'ledger',
    hasPublicPort: false,
    needs: ['ledger-migrate', 'kafka', 'redis', 's3', 'chain', 'facilitator'],
    stopRank: 4,
    env: (wiring) => ({
      ...shared(wiring),
      ...dataWires(wiring, 'ledger'),
      ...serverFiles(wiring, 'ledger'),
      ...databaseCa(wiring.guards),
      ...callerWires(wiring),
      ...(wiring.guards === undefined ? {} : { AUDIT_TOKEN: wiring.guards.auditToken }),
      INTERNAL_TOKEN: wiring.identity.internalToken,
      DATABASE_URL: wiring.ledgerDatabaseUrl,
      FACILITATOR_URL: wiring.facilitatorUrl,
      ...facilitatorToken(wiring),
      CHAIN_RPC_URL: wiring.chain.rpcUrl,
      PAY_TO: wiring.payTo,
      RECEIPT_SIGNING_KEYS: wiring.identity.receiptSigningKeys,
    }),
  },
  {
    name: 'text-worker',
    hasPublicPort: false,
    needs: ['kafka', 'redis', 's3', 'sandbox'],
    stopRank: 5,
    env: (wiring) => ({
      ...shared(wiring),
      ...dataWires(wiring, 'text-worker'),
      GEMINI_BASE_URL: wiring.gemini.baseUrl,
      GEMINI_API_KEY: wiring.gemini.apiKey,
      TEXT_ROUTES: yoursOr(
        'TEXT_ROUTES',
        JSON.stringify(Object.fromEntries(textModels.map((model) => [`gm-${model}`, [`gemini-${model}`]]))),
      ),
    }),
  },
  {
    name: 'media-worker',
    hasPublicPort: false,
    needs: ['kafka', 'redis', 's3', 'sandbox'],
    stopRank: 5,
    env: (wiring) => ({
      ...shared(wiring),
      ...dataWires(wiring, 'media-worker'),
      PUBLIC_BASE_URL: publicBaseUrl(wiring),
      MEDIA_CAPABILITY_KEYS: wiring.identity.mediaCapabilityKeys,
      MEDIA_AT_REST: yoursOr('MEDIA_AT_REST', 'sealed'),
      GEMINI_BASE_URL: wiring.gemini.baseUrl,
      GEMINI_API_KEY: wiring.gemini.apiKey,
      ELEVENLABS_BASE_URL: wiring.elevenlabs.baseUrl,
      ELEVENLABS_API_KEY: wiring.elevenlabs.apiKey,
      ...mediaRoutes(wiring),
    }),
  },
  {
    name: 'transcription-worker',
    hasPublicPort: false,
    needs: ['kafka', 'redis', 's3', 'sandbox'],
    stopRank: 5,
    env: (wiring) => ({
      ...shared(wiring),
      ...dataWires(wiring, 'transcription-worker'),
      STAGING_KEYS: yoursOr('STAGING_KEYS', wiring.identity.stagingKeys),
      ELEVENLABS_BASE_URL: wiring.elevenlabs.baseUrl,
      ELEVENLABS_API_KEY: wiring.elevenlabs.apiKey,
      TRANSCRIPTION_ROUTES: yoursOr('TRANSCRIPTION_ROUTES', JSON.stringify({ [transcriptionModel]: ['scribe_v2'] })),
    }),
  },
  {
    name: 'gateway',
    hasPublicPort: true,
    needs: ['ledger', 'text-worker', 'media-worker', 'transcription-worker', 'kafka', 'redis', 's3', 'chain', 'facilitator'],
    stopRank: 6,
    env: (wiring) => ({
      ...shared(wiring),
      ...dataWires(wiring, 'gateway'),
      ...callerWires(wiring),
      INTERNAL_TOKEN: wiring.identity.internalToken,
      PUBLIC_BASE_URL: publicBaseUrl(wiring),
      LEDGER_URL: wiring.ledgerUrls.join(','),
      FACILITATOR_URL: wiring.facilitatorUrl,
      ...facilitatorToken(wiring),
      CHAIN_RPC_URL: wiring.chain.rpcUrl,
      PAY_TO: wiring.payTo,
      RECEIPT_TOKEN_KEYS: wiring.identity.receiptTokenKeys,
      MEDIA_CAPABILITY_KEYS: wiring.identity.mediaCapabilityKeys,
      STAGING_KEYS: yoursOr('STAGING_KEYS', wiring.identity.stagingKeys),
      MEDIA_DELIVERY: yoursOr('MEDIA_DELIVERY', 'stream'),
      ENABLED_MODELS: yoursOr(
        'ENABLED_MODELS',
        [...textModels.map((model) => `gm-${model}`), ...mediaModels(wiring), transcriptionModel].join(','),
      ),
      // Load tests come from one address.
      CLIENT_RATE_LIMIT_PER_MINUTE: yoursOr('CLIENT_RATE_LIMIT_PER_MINUTE', '1000000'),
      ...(wiring.settings.providerTimeoutMs === undefined
        ? {}
        : { PROVIDER_TIMEOUT_MS: String(wiring.settings.providerTimeoutMs) }),
    }),
  },
]

function shared({ brokers, redisUrl, identity, s3, guards, settings }: Wiring): Record<string, string> {
  return {
    KAFKA_BROKERS: brokers.join(','),
    REDIS_URL: guards !== undefined && settings.yours.redisUrl === undefined ? withoutAccount(redisUrl) : redisUrl,
    CONTENT_KEYS: identity.contentKeys,
    // No release before this one runs beside it here, unless a drill says so.
    EVENT_SCHEMA: yoursOr('EVENT_SCHEMA', 'current'),
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  }
}

/** The stack's own address names the operator, whom no service is. */
function withoutAccount(redisUrl: string): string {
  const url = new URL(redisUrl)
  url.username = ''
  url.password = ''
  return url.href
}

function publicBaseUrl(wiring: Wiring): string {
  return yoursOr('PUBLIC_BASE_URL', wiring.gatewayUrls[0] ?? '')
}
