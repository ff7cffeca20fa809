import { Cluster } from 'ioredis'
import { defineScript, type RedisConnection, runnable } from './redis.ts'

/** Puts a binding under a key for `ttlMs` where nothing stands, and tells whether nothing stood there. */
export type BindFreeKey = (key: string, binding: string) => Promise<boolean>

// Sixteen times what a script call costs beyond its keys: more in one call would only make others wait for it.
const MAX_KEYS_IN_A_CALL = 256

const BIND_FREE = `
local bound = {}
for i = 1, #KEYS do
  bound[i] = redis.call('SET', KEYS[i], ARGV[i + 1], 'PX', ARGV[1], 'NX') and 1 or 0
end
return bound`

const SCRIPTS = { bindFree: defineScript('turnpikeBindFreeKeys', undefined, BIND_FREE) }

type Waiting = { key: string; binding: string; resolve(bound: boolean): void; reject(error: unknown): void }

/**
 * Every unpaid request binds a key, so those that come while a call is under way go to the server together, in the next one: a command of its own
 * costs each of them five times as much here and twice as much there. The nodes of a cluster hold a key each; there it is one command a key.
 */
export function openBindFreeKey(redis: RedisConnection, ttlMs: number): BindFreeKey {
  if (redis instanceof Cluster) return async (key, binding) => (await redis.set(key, binding, 'PX', ttlMs, 'NX')) === 'OK'

  const { bindFree } = runnable(redis, SCRIPTS)
  const waiting: Waiting[] = []
  let isUnderWay = false

  async function sendWaiting(): Promise<void> {
    const batch = waiting.splice(0, MAX_KEYS_IN_A_CALL)
    try {
      const bound = await bindFree(
        batch.map(({ key }) => key),
        [ttlMs, ...batch.map(({ binding }) => binding)],
      )
      if (!Array.isArray(bound) || bound.length !== batch.length) throw new Error('Redis answered for other keys than were asked')
      for (const [at, { resolve }] of batch.entries()) resolve(bound[at] === 1)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      isUnderWay = false
      schedule()
    }
  }

  function schedule(): void {
    if (isUnderWay || waiting.length === 0) return
    isUnderWay = true
    setImmediate(sendWaiting)
  }

  return (key, binding) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, binding, resolve, reject })
      schedule()
    })
}
