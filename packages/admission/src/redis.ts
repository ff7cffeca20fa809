import { type RedisWire, redisWireOf, wireFault } from '@turnpike/service'
import { Cluster, Redis } from 'ioredis'

const COMMAND_TIMEOUT_MS = 2_000
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 500

/** One server or a cluster: every script and command here touches one hash tag, so both take the same calls; where one gathers many, it looks. */
export type RedisConnection = Redis | Cluster

export type RedisOptionsOfOurs = {
  name: string
  onError: (error: Error) => void
  /** Told once, in a sentence, when the configuration is at fault: waiting will not mend it. */
  onRefused?: (sentence: string) => void
}

/**
 * A connection that fails fast: with Redis away a command rejects at once or after two seconds, and the caller answers 503. Nothing
 * is queued for later, because a claim that is taken after its caller gave up helps nobody. Connects in the background.
 */
export function openRedis(url: string, options: RedisOptionsOfOurs): Redis
export function openRedis(wire: RedisWire, options: RedisOptionsOfOurs): RedisConnection
export function openRedis(address: string | RedisWire, options: RedisOptionsOfOurs): RedisConnection {
  const wire = typeof address === 'string' ? redisWireOf(address) : address
  const redis = wire.isCluster ? openCluster(wire, options.name) : openServer(wire, options.name)
  let told: string | undefined
  redis.on('error', (error: Error) => {
    options.onError(error)
    const sentence = redisFault(error)
    if (sentence !== undefined && sentence !== told) options.onRefused?.(sentence)
    told = sentence ?? told
  })
  redis.on('ready', () => {
    told = undefined
  })
  return redis
}

function openServer({ nodes, database, username, password, tls }: RedisWire, connectionName: string): Redis {
  const [node] = nodes
  return new Redis({
    ...node,
    ...COMMANDS,
    scripts: definitions,
    connectionName,
    db: database,
    ...authority({ username, password, tls }),
    retryStrategy: reconnectDelayMs,
  })
}

/** Nodes are asked for the others; those may announce names or addresses, which their certificates must then hold. */
function openCluster({ nodes, username, password, tls }: RedisWire, connectionName: string): Cluster {
  return new Cluster([...nodes], {
    redisOptions: { ...COMMANDS, connectionName, ...authority({ username, password, tls }) },
    scripts: definitions,
    enableOfflineQueue: false,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    clusterRetryStrategy: reconnectDelayMs,
    // As it was announced: an address found for a name would not stand in the certificate.
    dnsLookup: (announced, use) => use(null, announced),
  })
}

const COMMANDS = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
}

function reconnectDelayMs(times: number): number {
  return Math.min(times * 50, MAX_RECONNECT_DELAY_MS)
}

/** Without what is absent: the library takes an undefined field for a setting. */
function authority(fields: Record<'username' | 'password' | 'tls', RedisWire['username' | 'password' | 'tls']>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A sentence where the configuration of the connection is at fault; undefined for a Redis that is away. */
export function redisFault(error: unknown): string | undefined {
  return wireFault(error, {
    what: 'Redis',
    ca: 'REDIS_TLS_CA',
    credentials: 'REDIS_USERNAME or REDIS_PASSWORD (or those in REDIS_URL)',
    isRefusal: ({ message }) => /^(WRONGPASS|NOAUTH|NOPERM)/.test(message),
  })
}

/** Whether Redis serves now. A cluster that has lost some of its slots does not: any payer may be among them. */
export async function redisAnswers(redis: RedisConnection): Promise<boolean> {
  try {
    if (redis instanceof Cluster) return /cluster_state:ok/.test(String(await redis.cluster('INFO')))
    return (await redis.ping()) === 'PONG'
  } catch {
    return false
  }
}

export type Script = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>

/** For the head of a script: `now` by the clock of Redis, which all replicas share, in ms since the epoch. */
export const LUA_NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`

export type ScriptDefinition = { name: string }

const definitions: Record<string, { numberOfKeys?: number; lua: string }> = {}

/**
 * Names a Lua script, once, when its module is loaded: every connection knows all of them from its beginning. It runs by EVALSHA and is
 * loaded again where Redis has forgotten it. With `numberOfKeys` undefined each call says how many it has.
 */
export function defineScript(name: string, numberOfKeys: number | undefined, lua: string): ScriptDefinition {
  definitions[name] = numberOfKeys === undefined ? { lua } : { numberOfKeys, lua }
  return { name }
}

/** Scripts to run on a connection, under the same names. */
export function runnable<Name extends string>(
  redis: RedisConnection,
  scripts: Record<Name, ScriptDefinition>,
): Record<Name, Script> {
  const entries = Object.entries<ScriptDefinition>(scripts).map(([key, { name }]) => {
    const command = Reflect.get(redis, name) as (...args: (string | number)[]) => Promise<unknown>
    const takesAnyNumber = definitions[name]?.numberOfKeys === undefined
    const run: Script = (keys, args) => command.call(redis, ...(takesAnyNumber ? [keys.length] : []), ...keys, ...args)
    return [key, run] as const
  })
  return Object.fromEntries(entries) as Record<Name, Script>
}
