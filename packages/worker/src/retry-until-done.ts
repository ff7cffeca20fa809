import { setTimeout as delay } from 'node:timers/promises'

const INITIAL_MS = 50
const MAX_MS = 2_000

/**
 * Repeats work that only a dependency's absence can fail, with growing, jittered pauses, until it is done. Rejects with the last
 * failure when `signal` fires first.
 */
export async function retryUntilDone<T>(
  work: () => Promise<T>,
  options: { signal: AbortSignal; onFailure: (error: unknown, failures: number) => void },
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work()
    } catch (error) {
      if (options.signal.aborted) throw error
      options.onFailure(error, failures)
      const pauseMs = Math.min(MAX_MS, INITIAL_MS * 2 ** Math.min(failures - 1, 10))
      await delay(pauseMs / 2 + (Math.random() * pauseMs) / 2, undefined, { signal: options.signal }).catch(() => {
        throw error
      })
    }
  }
}
