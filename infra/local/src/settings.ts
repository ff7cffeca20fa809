import { readFileSync } from 'node:fs'
import { StackFailure } from './failure.ts'
import { homeFolder } from './home.ts'
import type { S3Address } from './parts/s3.ts'
import { parseReplicas } from './replicas.ts'
import { type ServiceName, serviceNames } from './units/service-names.ts'

/** What the environment says about the stack, checked. */
export interface Settings {
  readonly port: number
  readonly home: string
  readonly demo: boolean
  readonly replicas: Readonly<Record<ServiceName, number>>
  readonly blockTimeSeconds: number | undefined
  readonly providerTimeoutMs: number | undefined
  /** Every connection between the parts of the stack over TLS, and every service under an account of its own. */
  readonly isGuarded: boolean
  readonly yours: YourParts
}

/** Dependencies that are there already, used in place of the parts that would be started. */
export interface YourParts {
  readonly databaseUrl: string | undefined
  readonly redisUrl: string | undefined
  readonly kafkaBrokers: readonly string[] | undefined
  readonly s3: S3Address | undefined
  readonly chainRpcUrl: string | undefined
  readonly payTo: string | undefined
  readonly facilitatorUrl: string | undefined
  readonly gemini: Upstream | undefined
  readonly elevenlabs: Upstream | undefined
}

export interface Upstream {
  readonly baseUrl: string
  readonly apiKey: string
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const text = (name: string) => env[name] || undefined
  const yours: YourParts = {
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    kafkaBrokers: text('KAFKA_BROKERS')?.split(','),
    s3: yourS3(text),
    chainRpcUrl: text('CHAIN_RPC_URL'),
    payTo: text('PAY_TO'),
    facilitatorUrl: text('FACILITATOR_URL'),
    gemini: upstream(text('GEMINI_API_KEY'), text('GEMINI_BASE_URL') ?? 'https://generativelanguage.googleapis.com'),
    elevenlabs: upstream(text('ELEVENLABS_API_KEY'), text('ELEVENLABS_BASE_URL') ?? 'https://api.elevenlabs.io'),
  }
  if (yours.chainRpcUrl !== undefined && (yours.payTo === undefined || yours.facilitatorUrl === undefined)) {
    throw new StackFailure(
      'CHAIN_RPC_URL needs PAY_TO and FACILITATOR_URL beside it: a chain of your own knows none of the local accounts.',
    )
  }
  return {
    port: whole('TURNPIKE_PORT', text('TURNPIKE_PORT'), 1, 65_535) ?? 8402,
    home: homeFolder(env),
    // A chain of your own has no demo wallet with money in it.
    demo: text('TURNPIKE_DEMO') !== '0' && yours.chainRpcUrl === undefined,
    replicas: parseReplicas(text('TURNPIKE_REPLICAS'), serviceNames),
    blockTimeSeconds: whole('TURNPIKE_BLOCK_TIME', text('TURNPIKE_BLOCK_TIME'), 1, 3_600),
    providerTimeoutMs: whole('TURNPIKE_PROVIDER_TIMEOUT_MS', text('TURNPIKE_PROVIDER_TIMEOUT_MS'), 1, 3_600_000),
    isGuarded: guarded(text('TURNPIKE_WIRE')),
    yours,
  }
}

function guarded(value: string | undefined): boolean {
  if (value === undefined || value === 'plain') return false
  if (value === 'tls') return true
  throw new StackFailure(`TURNPIKE_WIRE is "${value}"; it takes plain or tls.`)
}

function whole(name: string, value: string | undefined, least: number, most: number): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new StackFailure(`${name} is "${value}"; it takes a whole number from ${least} to ${most}.`)
  }
  return number
}

function yourS3(text: (name: string) => string | undefined): S3Address | undefined {
  const endpoint = text('S3_ENDPOINT')
  if (endpoint === undefined) return undefined
  const bucket = text('S3_BUCKET')
  const accessKeyId = text('S3_ACCESS_KEY_ID')
  const secretAccessKey = text('S3_SECRET_ACCESS_KEY')
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StackFailure('S3_ENDPOINT needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY beside it.')
  }
  const tlsCa = text('S3_TLS_CA') ?? fileOf('S3_TLS_CA_FILE', text('S3_TLS_CA_FILE'))
  const region = text('S3_REGION') ?? 'us-east-1'
  return { endpoint, region, bucket, accessKeyId, secretAccessKey, ...(tlsCa === undefined ? {} : { tlsCa }) }
}

function fileOf(name: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new StackFailure(`${name} names ${path}, which cannot be read.`)
  }
}

function upstream(apiKey: string | undefined, baseUrl: string): Upstream | undefined {
  return apiKey === undefined ? undefined : { apiKey, baseUrl }
}
