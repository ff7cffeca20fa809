import { Redis } from 'ioredis'

const COMMAND_TIMEOUT_MS = 2_000
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 500

/**
 * A connection that fails fast: with Redis away a command rejects at once or after two seconds, and the caller answers 503. Nothing
 * is queued for later, because a claim that is taken after its caller gave up helps nobody. Connects in the background.
 */
export function openRedis(url: string, options: { name: string; onError: (error: Error) => void }): Redis {
  const redis = new Redis(url, {
    connectionName: options.name,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_DELAY_MS),
  })
  redis.on('error', options.onError)
  return redis
}

export async function redisAnswers(redis: Redis): Promise<boolean> {
  try {
    return (await redis.ping()) === 'PONG'
  } catch {
    return false
  }
}

export type Script = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>

/** For the head of a script: `now` by the clock of Redis, which all replicas share, in ms since the epoch. */
export const LUA_NOW = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`

/** Registers a Lua script under a name of ours; it runs by EVALSHA and is loaded again where Redis has forgotten it. */
export function defineScript(redis: Redis, name: string, numberOfKeys: number, lua: string): Script {
  redis.defineCommand(name, { numberOfKeys, lua })
  const command = Reflect.get(redis, name) as (...args: (string | number)[]) => Promise<unknown>
  return (keys, args) => command.call(redis, ...keys, ...args)
}
