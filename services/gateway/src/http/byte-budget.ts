/** How many bytes of request bodies may be in memory at once, over all connections. */
export type ByteBudget = {
  /** False, and nothing taken, when there is no room. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
  taken(): number
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
