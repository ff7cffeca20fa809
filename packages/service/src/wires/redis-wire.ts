import { type Config, ConfigError, oneOf, optional, parsedBy, secret, text } from '../config.ts'
import { certificates } from './pem.ts'

/** How a service reaches Redis; spread into its own table. */
export const REDIS_VARIABLES = {
  /** One server, or several nodes of a cluster to find the others by. */
  redisUrls: parsedBy('REDIS_URL', parseUrls),
  redisCluster: oneOf('REDIS_CLUSTER', ['on', 'off'], { default: 'off' }),
  /** An ACL user; what stands in the URL when unset. */
  redisUsername: optional(text('REDIS_USERNAME')),
  redisPassword: optional(secret('REDIS_PASSWORD')),
  /** The only authority that is trusted for Redis; the public ones when unset. */
  redisTlsCa: optional(certificates('REDIS_TLS_CA')),
}

export type RedisWire = {
  nodes: readonly { host: string; port: number }[]
  isCluster: boolean
  username?: string
  password?: string
  /** The database of a single server. */
  database: number
  tls?: { ca?: string }
}

const DEFAULT_PORT = 6379

/** Throws ConfigError with what the variables together do not allow. */
export function redisWire(service: string, config: Config<typeof REDIS_VARIABLES>): RedisWire {
  const urls = config.redisUrls.map((url) => new URL(url))
  const [first] = urls
  if (first === undefined) throw new TypeError('the configuration was not checked')
  const isCluster = config.redisCluster === 'on'
  const isTls = first.protocol === 'rediss:'
  const database = Number(first.pathname.slice(1) || 0)
  const ca = config.redisTlsCa
  const problems = [
    urls.length > 1 && !isCluster && 'REDIS_URL names several nodes, which needs REDIS_CLUSTER=on',
    urls.some(({ protocol }) => protocol !== first.protocol) && 'REDIS_URL must have rediss:// for all nodes, or for none',
    !Number.isInteger(database) && 'REDIS_URL has a path that is not the number of a database',
    isCluster && database !== 0 && 'REDIS_URL names a database, and a cluster has only the first',
    ca !== undefined && !isTls && 'REDIS_TLS_CA needs rediss:// in REDIS_URL',
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new ConfigError(service, problems)
  const username = config.redisUsername ?? decodeURIComponent(first.username)
  const password = config.redisPassword ?? decodeURIComponent(first.password)
  return {
    nodes: urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) })),
    isCluster,
    database,
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(isTls ? { tls: ca === undefined ? {} : { ca } } : {}),
  }
}

/** One server that a URL names with all that there is to know. */
export function redisWireOf(url: string): RedisWire {
  const config = { redisUrls: parseUrls(url), redisCluster: 'off', redisTlsCa: undefined } as const
  return redisWire('redis', { ...config, redisUsername: undefined, redisPassword: undefined })
}

function parseUrls(value: string): readonly string[] {
  const urls = value.split(',').map((url) => url.trim())
  const isUsable = (url: string) => URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol) && new URL(url).hostname !== ''
  if (!urls.every(isUsable)) throw new Error('it must begin with redis:// or rediss://, each of several after a comma')
  return urls
}
