import type { RedisConnection } from './redis.ts'

// A wake-up and nothing more: the ledger says that a key has moved, whoever waits for it asks the ledger. A lost signal costs a
// moment, because waiters also ask on their own.

const CHANNEL = 'turnpike:moved'

export type ReleaseAnnouncer = { announce(keyHash: string): Promise<void> }

export function releaseAnnouncer(redis: RedisConnection): ReleaseAnnouncer {
  return {
    async announce(keyHash) {
      await redis.publish(CHANNEL, keyHash)
    },
  }
}

export type ReleaseSignal = {
  /** Resolves true when the key is announced from now on, false after timeoutMs or when `signal` aborts. */
  next(keyHash: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>
  close(): void
}

/** `subscriber` is a connection of its own: Redis takes nothing but subscriptions on it. It is subscribed again after a reconnect. */
export function listenForReleases(subscriber: RedisConnection): ReleaseSignal {
  const waiters = new Map<string, Set<(announced: boolean) => void>>()
  const subscribe = () => {
    subscriber.subscribe(CHANNEL).catch(() => {}) // the next 'ready' subscribes again; until then waiters ask on their own
  }
  subscriber.on('ready', subscribe)
  if (subscriber.status === 'ready') subscribe()
  subscriber.on('message', (_channel, keyHash) => {
    for (const wake of waiters.get(keyHash) ?? []) wake(true)
  })

  return {
    next(keyHash, timeoutMs, signal) {
      return new Promise((resolve) => {
        const settle = (announced: boolean) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          const waiting = waiters.get(keyHash)
          waiting?.delete(settle)
          if (waiting?.size === 0) waiters.delete(keyHash)
          resolve(announced)
        }
        const abort = () => settle(false)
        const timer = setTimeout(() => settle(false), timeoutMs)
        if (signal?.aborted) return settle(false)
        signal?.addEventListener('abort', abort, { once: true })
        const waiting = waiters.get(keyHash) ?? new Set()
        waiters.set(keyHash, waiting.add(settle))
      })
    },
    close() {
      for (const waiting of waiters.values()) for (const settle of waiting) settle(false)
      subscriber.disconnect()
    },
  }
}
