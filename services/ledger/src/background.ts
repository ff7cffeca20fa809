import type { Logger } from '@turnpike/service'
import { pause } from './pause.ts'

export type Background = {
  /** False when too much is running; the work is not taken then. */
  start(work: () => Promise<void>): boolean
  /** How much more would be taken now. */
  room(): number
  /** Waits until nothing runs, but not longer than graceMs. */
  idle(graceMs: number): Promise<void>
}

/** Work that nobody waits for, bounded, and that a shutdown lets finish. */
export function openBackground(deps: { atOnce: number; logger: Logger }): Background {
  const running = new Set<Promise<void>>()
  return {
    start(work) {
      if (running.size >= deps.atOnce) return false
      const one: Promise<void> = work()
        .catch((error: unknown) => deps.logger.error({ error }, 'background work failed'))
        .finally(() => {
          running.delete(one)
        })
      running.add(one)
      return true
    },
    room: () => Math.max(0, deps.atOnce - running.size),
    async idle(graceMs) {
      const grace = new AbortController()
      await Promise.race([Promise.all(running), pause(graceMs, grace.signal)])
      grace.abort()
    },
  }
}
