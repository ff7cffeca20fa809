import { openRedis } from '@turnpike/admission'
import type { Stack } from '@turnpike/local'
import { openObjectStore } from '@turnpike/storage'
import { until } from '@turnpike/testing'
import { processesOf } from './stack-under-test.ts'

/** Staged audio as somebody sees it who can read the store and Redis. */
export function stagingOf(stack: Stack) {
  const store = openObjectStore({ ...stack.s3, forcePathStyle: true })
  const redis = openRedis(stack.redisUrl, { name: 'test', onError: () => {} })
  const objects = async () => (await store.list('staging/', { limit: 100 })).objects.map(({ key }) => key)
  // The sample, by which gateways and workers find out whether their rights fit together, is of no audio and always there.
  const keys = async () => (await redis.keys('a:{*')).filter((key) => !key.startsWith('a:{sample'))
  const clear = async () => {
    for (const key of await keys()) await redis.del(key)
    for (const object of await objects()) await store.delete(object)
  }
  return {
    objects,
    keys,
    keyLifetimeMs: (key: string) => redis.pttl(key),
    clear,
    /** Deleting follows the outcome that the client is answered with. */
    async isEmpty(): Promise<void> {
      await until('nothing is staged', async () => (await objects()).length + (await keys()).length === 0)
    },
    /** The data keys of what a request stages are lost before a worker gets to it. */
    async losingKeys<T>(request: () => Promise<T>): Promise<T> {
      const workers = processesOf('transcription-worker')
      for (const { pid } of workers) process.kill(pid, 'SIGSTOP')
      try {
        const answer = request()
        await until('the audio is staged', async () => (await objects()).length > 0)
        for (const key of await keys()) await redis.del(key)
        for (const { pid } of workers) process.kill(pid, 'SIGCONT')
        return await answer
      } finally {
        for (const { pid } of workers) process.kill(pid, 'SIGCONT')
      }
    },
    close() {
      redis.disconnect()
      store.close()
    },
  }
}
