/** How the letters of a run are folded before they are looked up: 0x20 makes ASCII letters lower case, 0 changes nothing. */
export type Fold = 0 | 0x20

// A slot is four numbers side by side, so that a look-up touches one cache line: the key of its run, its length (0: nobody is here), where
// its units stand, and what it costs. The slots are at most 4/5 full: with fewer of them more stay in the cache, which is worth more than
// the extra slots that are looked at.
const SLOT = 4
const [KEY, LENGTH, START, COSTS] = [0, 1, 2, 3]
const SLOTS_PER_RUN = 1.25

/**
 * Runs of UTF-16 units and what they cost, looked up in place: no piece of the text is cut out of it. The digits of a group stand in
 * four bits each, the first digit lowest. 0 is "not listed"; a listed cost never is.
 */
export class RunTable {
  readonly #units: Uint16Array
  readonly #slots: Int32Array
  readonly #mask: number
  /** How many units the longest run has. */
  readonly longest: number

  constructor(groups: Record<string, string>) {
    const entries = Object.entries(groups).flatMap(([digits, runs]) =>
      runs.split(' ').map((run) => ({ run, cost: digitsPacked(digits) })),
    )
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, entries.length * SLOTS_PER_RUN)))
    this.#mask = slots - 1
    this.#slots = new Int32Array(slots * SLOT)
    this.#units = new Uint16Array(entries.reduce((sum, { run }) => sum + run.length, 0))
    this.longest = entries.reduce((longest, { run }) => Math.max(longest, run.length), 0)
    let start = 0
    for (const { run, cost } of entries) {
      let key = 0
      for (let unit = 0; unit < run.length; unit++) {
        this.#units[start + unit] = run.charCodeAt(unit)
        key = keyed(key, run.charCodeAt(unit))
      }
      let slot = spread(key) & this.#mask
      while (this.#slots[slot * SLOT + LENGTH] !== 0) slot = (slot + 1) & this.#mask
      this.#slots.set([key, run.length, start, cost], slot * SLOT)
      start += run.length
    }
  }

  /** The packed digits of text[start, end), or 0. `key` is that of the folded run. */
  find(text: Uint16Array, start: number, end: number, key: number, fold: Fold): number {
    const length = end - start
    if (length < 2 || length > this.longest) return 0
    const slots = this.#slots
    let slot = spread(key) & this.#mask
    for (;;) {
      const at = slot * SLOT
      const found = slots[at + LENGTH] as number
      if (found === 0) return 0
      // Keys can be the same by chance, or because somebody searched for it: the units decide.
      if (slots[at + KEY] === key && found === length && this.#stands(slots[at + START] as number, text, start, length, fold)) {
        return slots[at + COSTS] as number
      }
      slot = (slot + 1) & this.#mask
    }
  }

  #stands(from: number, text: Uint16Array, start: number, length: number, fold: Fold): boolean {
    for (let offset = 0; offset < length; offset++) {
      if (this.#units[from + offset] !== ((text[start + offset] as number) | fold)) return false
    }
    return true
  }
}

/** The digit at a position (0 is the first) of what `find` returned. */
export function digitAt(costs: number, position: number): number {
  return (costs >>> (position * 4)) & 15
}

/** The key of a run with one more unit; that of none is 0. A rotation and an exclusive or: half of what a product would take. */
export function keyed(key: number, unit: number): number {
  return ((key << 5) | (key >>> 27)) ^ unit
}

function spread(key: number): number {
  const mixed = Math.imul(key ^ (key >>> 16), 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/** The digits of a group in four bits each. */
export function digitsPacked(digits: string): number {
  let cost = 0
  for (let position = 0; position < digits.length; position++) cost += Number(digits[position]) << (position * 4)
  return cost
}
