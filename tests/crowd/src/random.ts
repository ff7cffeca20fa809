import { createHash } from 'node:crypto'

/** Everything that a run leaves to chance comes from here, so that its seed says what was drawn. */
export type Random = {
  /** From 0 to below 1. */
  unit(): number
  /** Both ends included. */
  whole(from: number, to: number): number
  pick<T>(from: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
  /** A stream of its own: what is drawn from it changes nothing in this one. */
  fork(name: string): Random
}

export function randomFrom(seed: number | string): Random {
  let state = createHash('sha256').update(String(seed)).digest().readUInt32LE(0)
  // mulberry32
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (from: number, to: number) => from + Math.floor(unit() * (to - from + 1))
  return {
    unit,
    whole,
    pick(from) {
      const index = whole(0, from.length - 1)
      if (from.length === 0) throw new RangeError('nothing to pick from')
      return from[index] as (typeof from)[number]
    },
    shuffle(items) {
      const left = [...items]
      const drawn: typeof left = []
      while (left.length > 0) drawn.push(...left.splice(whole(0, left.length - 1), 1))
      return drawn
    },
    fork: (name) => randomFrom(`${seed}/${name}`),
  }
}
