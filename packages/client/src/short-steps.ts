import { BLANK, CAPITAL, KIND_BY_CODE, NEWLINE, NO_KIND, NUMERAL, PRICE_BY_PAIR, SMALL, SYMBOL, TAB } from './short-runs.ts'

// A processor loses some twenty cycles whenever it guesses wrong how a text goes on, and in random text it guesses wrong at every end of a
// run. So the kinds of the next four ASCII characters say in one look-up which short runs end within them, what these cost, and what begins
// behind them: no branch asks what run it is, and how long.

/** What begins where a step ends: what the next step tells, a run that is longer than steps can tell, or what no step can tell. */
export const NEXT = { UNTOLD: 0, LETTERS: 1, SPACED_LETTERS: 2, SYMBOLS: 3, SPACED_SYMBOLS: 4, BLANKS: 5, UNKNOWN: 6 } as const

// A step is one number: how many characters it takes (0 to 4), how many tokens, and what begins behind them. Every run that it takes is a
// token, but for one run of two characters: their price is looked up. Whether there is one, and how many characters stand before it.
const LENGTH_MASK = 7
const TOKENS_SHIFT = 3
const TOKENS_MASK = 7
const PAIR_SHIFT = 6
const BEFORE_PAIR_SHIFT = 7
const NEXT_SHIFT = 8

const AHEAD = 4
const KIND_BITS = 3
/** Of every UTF-16 unit, so that nobody asks whether it is ASCII. */
const KINDS = Uint8Array.from({ length: 0x1_0000 }, (_, unit) => KIND_BY_CODE[unit] ?? NO_KIND)
const PRICES = PRICE_BY_PAIR
const STEPS = steps()

/** The step at an index. Reads three units ahead. */
export function stepAt(text: Uint16Array, at: number): number {
  const first = KINDS[text[at] as number] as number
  const second = KINDS[text[at + 1] as number] as number
  const third = KINDS[text[at + 2] as number] as number
  const fourth = KINDS[text[at + 3] as number] as number
  return STEPS[(first << 9) | (second << 6) | (third << 3) | fourth] as number
}

export function stepLength(step: number): number {
  return step & LENGTH_MASK
}

export function nextOf(step: number): number {
  return step >> NEXT_SHIFT
}

export function stepTokens(step: number, text: Uint16Array, at: number): number {
  const from = at + ((step >> BEFORE_PAIR_SHIFT) & 1)
  const isPair = (step >> PAIR_SHIFT) & 1
  // Without a pair this is the price of two NULs, which is none.
  const pair = (((text[from] as number) << 7) | (text[from + 1] as number)) & -isPair
  return (PRICES[pair] as number) + ((step >> TOKENS_SHIFT) & TOKENS_MASK)
}

function steps(): Uint16Array {
  const table = new Uint16Array(1 << (AHEAD * KIND_BITS))
  for (let index = 0; index < table.length; index++) {
    table[index] = stepOver([9, 6, 3, 0].map((shift) => (index >> shift) & 7))
  }
  return table
}

/** Takes short runs as long as the kinds tell where they end. */
function stepOver(kinds: number[]): number {
  let tokens = 0
  let pair = 0
  let at = 0
  for (;;) {
    const rest = kinds.slice(at)
    const length = shortLength(rest)
    if (length === 0) return at | (tokens << TOKENS_SHIFT) | pair | (nextBy(rest, at === 0) << NEXT_SHIFT)
    if (length === 2 && !isBlank(rest[1])) pair = (1 << PAIR_SHIFT) | (at << BEFORE_PAIR_SHIFT)
    else tokens += 1
    at += length
  }
}

/** How long the run at the beginning is. 0: that cannot be told. Two characters have a price of their own, anything else is a token. */
function shortLength(kinds: number[]): number {
  const [first = NO_KIND, second = NO_KIND, third = NO_KIND] = kinds
  if (first === NUMERAL) return 1
  if (first === NO_KIND || second === NO_KIND) return 0
  if (isBlank(first) && first === second) {
    const length = kinds.findIndex((kind) => kind !== first)
    return length < 0 || kinds[length] === NO_KIND ? 0 : length
  }
  // Before a capital a part ends, but its run goes on.
  if (first === SMALL && second === CAPITAL) return 0
  if (!isSpaced(first, second) && !isSame(first, second)) return 1
  return third === NO_KIND || isSame(second, third) ? 0 : 2
}

/** What begins with these kinds. Where nothing was taken before, something has to be said. */
function nextBy([first, second, third]: number[], isFirst: boolean): number {
  if (first === undefined) return NEXT.UNTOLD
  if (isBlank(first) && first === second) return NEXT.BLANKS
  const isTold = isSpaced(first, second) || isSame(first, second) ? isSame(second, third) : first === SMALL && second === CAPITAL
  if (!isTold && !isFirst) return NEXT.UNTOLD
  if (isLetter(first)) return NEXT.LETTERS
  if (first === SYMBOL) return NEXT.SYMBOLS
  if (!isSpaced(first, second)) return NEXT.UNKNOWN
  return second === SYMBOL ? NEXT.SPACED_SYMBOLS : NEXT.SPACED_LETTERS
}

/** Whether two kinds stand in one run; parts of a run of letters as well. */
function isSame(first: number | undefined, second: number | undefined): boolean {
  return (first === SYMBOL && second === SYMBOL) || (isLetter(first) && isLetter(second))
}

function isSpaced(first: number | undefined, second: number | undefined): boolean {
  return first === BLANK && (second === SYMBOL || isLetter(second))
}

function isBlank(kind: number | undefined): boolean {
  return kind === BLANK || kind === NEWLINE || kind === TAB
}

function isLetter(kind: number | undefined): boolean {
  return kind === SMALL || kind === CAPITAL
}
