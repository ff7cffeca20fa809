import type { RedisConnection } from './redis.ts'

// a:{<staging id>}: the wrapped data key of one staged audio. It stands nowhere else, so its time to live is the audio's: when Redis
// drops it, or loses it, the encrypted bytes can be opened by nobody any more.

export type AudioKeys = {
  keep(stagingId: string, wrappedKey: string, lifetimeMs: number): Promise<void>
  /** Undefined when it is gone, for good. */
  find(stagingId: string): Promise<string | undefined>
  forget(stagingId: string): Promise<void>
}

export function audioKeys(redis: RedisConnection): AudioKeys {
  const keyOf = (stagingId: string) => `a:{${stagingId}}`
  return {
    async keep(stagingId, wrappedKey, lifetimeMs) {
      await redis.set(keyOf(stagingId), wrappedKey, 'PX', lifetimeMs)
    },
    find: async (stagingId) => (await redis.get(keyOf(stagingId))) ?? undefined,
    async forget(stagingId) {
      await redis.del(keyOf(stagingId))
    },
  }
}
