/** Numbers that look random and are the same on every machine (mulberry32). */
export type Random = {
  below(limit: number): number
  pick<T>(from: readonly T[] | string): T
  text(length: number, alphabet: string): string
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    pick: <T>(from: readonly T[] | string) => from[below(from.length)] as T,
    text: (length, alphabet) => {
      const points = [...alphabet]
      return Array.from({ length }, () => points[below(points.length)]).join('')
    },
  }
}
