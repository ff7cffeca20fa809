export type Chance = {
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  bytes(length: number): Buffer
}

/** Mulberry32: the same seed gives the same run. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick<T>(from: readonly T[]): T {
      return from[below(from.length)] as T
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
