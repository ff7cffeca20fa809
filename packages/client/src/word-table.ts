import { digitsPacked, keyed, RunTable } from './run-table.ts'

/** So many letters of five bits each fit into two numbers. */
const LETTERS_IN_TWO = 12
const SHORTEST = 3

// A slot is one number: the upper bits of a hash, and in the lower 15 which word is there (from 1 on; 0: none). What is no word is nearly
// always told by the slots alone: they and what they lead to have to stay in a processor's cache, behind which a look-up takes ten times as
// long. Mostly empty, so that the first slot decides: a loop that ends here or there is guessed wrong.
const WORD_BITS = 0x7fff
const SLOTS_PER_WORD = 2.5
const WORD = 3
const [LOW, HIGH, COSTS] = [0, 1, 2]

/**
 * Words of ASCII letters and what they cost. Twelve letters are two numbers, read while a text goes by, so that a word is compared without
 * a loop over its letters. Longer words are few and stand in a table of runs.
 */
export class WordTable {
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #words: Int32Array
  readonly #longWords: RunTable

  constructor(groups: Record<string, string>) {
    const isLong = (word: string) => word.length > LETTERS_IN_TWO
    const entries = Object.entries(groups).map(([digits, words]) => ({ digits, words: words.split(' ') }))
    const short = entries.flatMap(({ digits, words }) =>
      words.filter((word) => !isLong(word)).map((word) => ({ word, costs: digitsPacked(digits) })),
    )
    if (short.length > WORD_BITS) throw new Error(`no room for ${short.length} words`)
    const long = entries.map(({ digits, words }) => [digits, words.filter(isLong).join(' ')] as const)
    this.#longWords = new RunTable(Object.fromEntries(long.filter(([, words]) => words !== '')))
    this.#mask = 2 ** Math.ceil(Math.log2(Math.max(2, short.length * SLOTS_PER_WORD))) - 1
    this.#slots = new Int32Array(this.#mask + 1)
    this.#words = new Int32Array((short.length + 1) * WORD)
    for (const [index, { word, costs }] of short.entries()) {
      const { low, high } = packedLetters([...word].map((letter) => letter.charCodeAt(0)))
      const hash = hashOf(low, high)
      let slot = hash & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = (hash & ~WORD_BITS) | (index + 1)
      this.#words.set([low, high, costs], (index + 1) * WORD)
    }
  }

  /** The packed digits of the letters text[start, end), whatever their case, or 0. `low` and `high` are what `packedLetters` makes of them. */
  find(text: Uint16Array, start: number, end: number, low: number, high: number): number {
    const length = end - start
    if (length < SHORTEST) return 0
    if (length > LETTERS_IN_TWO) return this.#findLong(text, start, end)
    const hash = hashOf(low, high)
    const slots = this.#slots
    let slot = hash & this.#mask
    for (;;) {
      const found = slots[slot] as number
      if (found === 0) return 0
      if (((found ^ hash) & ~WORD_BITS) === 0) {
        const words = this.#words
        const at = (found & WORD_BITS) * WORD
        if (words[at + LOW] === low && words[at + HIGH] === high) return words[at + COSTS] as number
      }
      slot = (slot + 1) & this.#mask
    }
  }

  #findLong(text: Uint16Array, start: number, end: number): number {
    const table = this.#longWords
    if (end - start > table.longest) return 0
    let key = 0
    for (let at = start; at < end; at++) key = keyed(key, (text[at] as number) | 0x20)
    return table.find(text, start, end, key, 0x20)
  }
}

/** The last twelve letters, five bits each, the last one lowest. Upper and lower case are the same. */
export function packedLetters(letters: readonly number[]): { low: number; high: number } {
  let low = 0
  let high = 0
  for (const letter of letters) {
    high = (high << 5) | (low >>> 27)
    low = (low << 5) | (letter & 31)
  }
  return { low, high }
}

function hashOf(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}
