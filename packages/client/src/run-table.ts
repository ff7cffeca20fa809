/** How the letters of a run are folded before they are looked up: 0x20 makes ASCII letters lower case, 0 changes nothing. */
export type Fold = 0 | 0x20

/**
 * Runs of UTF-16 units and what they cost, looked up in place: no piece of the text is cut out of it. The digits of a group stand in
 * four bits each, the first digit lowest. 0 is "not listed"; a listed cost never is.
 */
export class RunTable {
  readonly #units: Uint16Array
  readonly #starts: Uint32Array
  readonly #costs: Uint32Array
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #longest: number

  constructor(groups: Record<string, string>) {
    const entries = Object.entries(groups).flatMap(([digits, runs]) =>
      runs.split(' ').map((run) => ({ run, cost: packed(digits) })),
    )
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, entries.length * 2.5)))
    this.#mask = slots - 1
    this.#slots = new Int32Array(slots).fill(-1)
    this.#units = new Uint16Array(entries.reduce((sum, { run }) => sum + run.length, 0))
    this.#starts = new Uint32Array(entries.length + 1)
    this.#costs = new Uint32Array(entries.length)
    this.#longest = entries.reduce((longest, { run }) => Math.max(longest, run.length), 0)
    let at = 0
    for (const [index, { run, cost }] of entries.entries()) {
      this.#starts[index] = at
      this.#costs[index] = cost
      for (let unit = 0; unit < run.length; unit++) this.#units[at++] = run.charCodeAt(unit)
      let slot = spread(hashOf(unitsOf(run), 0, run.length)) & this.#mask
      while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask
      this.#slots[slot] = index
    }
    this.#starts[entries.length] = at
  }

  /** The packed digits of text[start, end), or 0. `hash` is that of the folded run. */
  find(text: Uint16Array, start: number, end: number, fold: Fold, hash = hashOf(text, start, end)): number {
    const length = end - start
    if (length < 2 || length > this.#longest) return 0
    let slot = spread(hash) & this.#mask
    for (;;) {
      const index = this.#slots[slot] as number
      if (index === -1) return 0
      if (this.#holds(index, text, start, length, fold)) return this.#costs[index] as number
      slot = (slot + 1) & this.#mask
    }
  }

  #holds(index: number, text: Uint16Array, start: number, length: number, fold: Fold): boolean {
    const from = this.#starts[index] as number
    if ((this.#starts[index + 1] as number) - from !== length) return false
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

/** The next state of a run's hash; the first state is 0. */
export function hashed(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0
}

export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index)
  return units
}

function hashOf(text: Uint16Array, start: number, end: number): number {
  let hash = 0
  for (let index = start; index < end; index++) hash = hashed(hash, text[index] as number)
  return hash
}

function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

function packed(digits: string): number {
  let cost = 0
  for (let position = 0; position < digits.length; position++) cost += Number(digits[position]) << (position * 4)
  return cost
}
