import { mostPiecesOfLetters } from './most-pieces.ts'
import { keyed } from './run-table.ts'
import { asciiSymbolsTokens } from './run-tokens.ts'
import { CAPITAL, END_OF_ASCII, KIND_BY_UNIT, SMALL, SYMBOL } from './unit-kinds.ts'

// Half of the runs of code and nearly all of random text are one or two ASCII letters or symbols long: what each of them costs is worked out
// ahead.

const SPACE_CODE = 0x20
/** Added when a space belongs to the run. */
export const SPACED_SHORT_RUNS = END_OF_ASCII ** 2
/** By both codes, first << 7 | second; the second is 0 where there is none. No ASCII symbol is a NUL (see unit-kinds.ts). */
export const SHORT_RUN_PRICES = new Uint8Array(2 * END_OF_ASCII ** 2)
fill([SMALL, CAPITAL], (text, _from, end) => mostPiecesOfLetters(text, 0, end))
fill([SYMBOL], (text, from, end) => asciiSymbolsTokens(text, 0, from, end, text.subarray(from, end).reduce(keyed, 0)))

function fill(ofKinds: number[], tokens: (text: Uint16Array, from: number, end: number) => number): void {
  const codes = [...KIND_BY_UNIT.subarray(0, END_OF_ASCII).keys()].filter((code) =>
    ofKinds.includes(KIND_BY_UNIT[code] as number),
  )
  for (const first of codes) {
    if (tokens(Uint16Array.of(first), 0, 1) !== 1) throw new Error(`the ASCII character ${first} is not one token`)
    for (const second of [0, ...codes]) {
      const run = second === 0 ? [first] : [first, second]
      const index = (first << 7) | second
      SHORT_RUN_PRICES[index] = tokens(Uint16Array.from(run), 0, run.length)
      SHORT_RUN_PRICES[index + SPACED_SHORT_RUNS] = tokens(Uint16Array.of(SPACE_CODE, ...run), 1, run.length + 1)
    }
  }
}
