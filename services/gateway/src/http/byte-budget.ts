import { type LargeBodyRoom, openLargeBodyRoom } from './byte-budget-queue.ts'

/** How many bytes of request bodies may be in memory at once, over all connections. */
export type ByteBudget = {
  /** False, and nothing taken, when there is no room. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
  taken(): number
}

/** Small bodies take their share as they arrive; a large one has all of its room before its first byte is read. */
export type BodyRoom = { small: ByteBudget; large: LargeBodyRoom }

const LARGE_SHARE = 3 / 4

/** Small bodies keep a share of their own: uploads must not close the service to everybody else. */
export function openBodyRoom({ maxBytes }: { maxBytes: number }): BodyRoom {
  const largeBytes = Math.floor(maxBytes * LARGE_SHARE)
  return { small: openByteBudget(maxBytes - largeBytes), large: openLargeBodyRoom({ maxBytes: largeBytes }) }
}

export function openByteBudget(maxBytes: number): ByteBudget {
  let taken = 0
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false
      taken += bytes
      return true
    },
    giveBack(bytes) {
      taken -= bytes
    },
    taken: () => taken,
  }
}
