import { gather } from '@turnpike/service'
import { Cluster } from 'ioredis'
import { defineScript, type RedisConnection, runnable } from './redis.ts'

/** Puts a binding under a key for `ttlMs` where nothing stands, and tells whether nothing stood there. */
export type BindFreeKey = (key: string, binding: string) => Promise<boolean>

// A script stops the server for everybody while it runs: so many keys take it two to four milliseconds.
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
 * Every unpaid request binds a key, so those that come while a call is under way go to the server together, in the next one: what ioredis
 * does for a command costs this process more than Redis spends on the binding (decision 29). The nodes of a cluster hold a key each; there it
 * is one command a key. A Redis that hangs keeps nobody longer than one command: behind a call that is slow the next one goes all the same.
 */
export function openBindFreeKey(redis: RedisConnection, ttlMs: number): BindFreeKey {
  const bindAlone: BindFreeKey = async (key, binding) => (await redis.set(key, binding, 'PX', ttlMs, 'NX')) === 'OK'
  if (redis instanceof Cluster) return bindAlone

  const { bindFree } = runnable(redis, SCRIPTS)
  let takesManyKeys = true

  async function call(batch: readonly Waiting[]): Promise<void> {
    try {
      const bound = await bindFree(
        batch.map(({ key }) => key),
        [ttlMs, ...batch.map(({ binding }) => binding)],
      )
      if (!Array.isArray(bound) || bound.length !== batch.length) throw new Error('Redis answered for other keys than were asked')
      for (const [at, { resolve }] of batch.entries()) resolve(bound[at] === 1)
    } catch (error) {
      if (isCrossSlot(error)) {
        takesManyKeys = false
        for (const { key, binding, resolve, reject } of batch) bindAlone(key, binding).then(resolve, reject)
      } else for (const { reject } of batch) reject(error)
    }
  }
  const waiting = gather({ worthACall: MAX_KEYS_IN_A_CALL, maxInACall: MAX_KEYS_IN_A_CALL, call })

  return (key, binding) =>
    takesManyKeys ? new Promise((resolve, reject) => waiting.add({ key, binding, resolve, reject })) : bindAlone(key, binding)
}

/** A cluster of one shard, or a proxy before one, that is entered as if it were a server. Nothing of the call was done. */
function isCrossSlot(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('CROSSSLOT')
}
