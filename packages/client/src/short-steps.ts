import { BLANK, CAPITAL, KIND_BY_CODE, NEW_LINE, NO_KIND, NUMERAL, SMALL, SYMBOL, shortTokens } from './short-runs.ts'

// A processor loses some twenty cycles whenever it guesses wrong how a text goes on, and in random text it guesses wrong at every end of a
// run. So the kinds of the next three ASCII characters say in one look-up whether a short run ends within them, and where: no branch asks
// what run it is, and how long.

// A step is one byte: 0 when no short run is there for certain, else how many characters it takes, whether its costs are listed by two of
// them, and how many tokens it has beyond these costs.
export const NO_STEP = 0
const LENGTH_MASK = 3
const EXTRA_SHIFT = 2
const SECOND_SHIFT = 4
const END_OF_ASCII = 0x80
const ONE = step({ length: 1, isSecond: false, extra: 0 })
const TWO = step({ length: 2, isSecond: true, extra: 0 })
// Every digit is a token: two more of them need no look-up.
const TWO_DIGITS = step({ length: 2, isSecond: false, extra: 1 })
const THREE_DIGITS = step({ length: 3, isSecond: false, extra: 2 })

const KINDS = KIND_BY_CODE
const STEPS = steps()

/** The step at an index. Reads two units ahead. */
export function stepAt(text: Uint16Array, at: number): number {
  const first = text[at] as number
  const second = text[at + 1] as number
  const third = text[at + 2] as number
  if ((first | second | third) >= END_OF_ASCII) return NO_STEP
  return STEPS[stepOf(KINDS[first] as number, KINDS[second] as number, KINDS[third] as number)] as number
}

export function stepLength(step: number): number {
  return step & LENGTH_MASK
}

export function stepTokens(step: number, text: Uint16Array, at: number): number {
  const second = (text[at + 1] as number) & -(step >> SECOND_SHIFT)
  return shortTokens(text[at] as number, second, false) + ((step >> EXTRA_SHIFT) & LENGTH_MASK)
}

function stepOf(first: number, second: number, third: number): number {
  return (first << 6) | (second << 3) | third
}

function steps(): Uint8Array {
  const table = new Uint8Array(512)
  const kinds = [NO_KIND, SMALL, CAPITAL, NUMERAL, SYMBOL, BLANK, NEW_LINE]
  for (const first of kinds) {
    for (const second of kinds) for (const third of kinds) table[stepOf(first, second, third)] = stepBy(first, second, third)
  }
  return table
}

function stepBy(first: number, second: number, third: number): number {
  switch (first) {
    case NUMERAL:
      if (second !== NUMERAL) return ONE
      return third === NUMERAL ? THREE_DIGITS : TWO_DIGITS
    case SMALL:
      // Before a capital a part ends, but its run goes on.
      if (second === CAPITAL) return NO_STEP
      return lettersBy(second, third)
    case CAPITAL:
      return lettersBy(second, third)
    case SYMBOL:
      if (second === SYMBOL) return endsSymbols(third) ? TWO : NO_STEP
      return endsSymbols(second) ? ONE : NO_STEP
    case BLANK:
      if (second === NUMERAL || second === NEW_LINE) return ONE
      if (second === SYMBOL) return endsSymbols(third) ? TWO : NO_STEP
      return isLetter(second) && !isLetter(third) ? TWO : NO_STEP
    case NEW_LINE:
      return second === NEW_LINE ? NO_STEP : ONE
    default:
      return NO_STEP
  }
}

function lettersBy(second: number, third: number): number {
  if (!isLetter(second)) return ONE
  return isLetter(third) ? NO_STEP : TWO
}

function isLetter(kind: number): boolean {
  return kind === SMALL || kind === CAPITAL
}

function endsSymbols(kind: number): boolean {
  return kind !== SYMBOL && kind !== NO_KIND
}

function step({ length, isSecond, extra }: { length: number; isSecond: boolean; extra: number }): number {
  return length | (extra << EXTRA_SHIFT) | (isSecond ? 1 << SECOND_SHIFT : 0)
}
