import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { mostPieces } from './most-pieces.ts'
import { digitAt, RunTable } from './run-table.ts'
import { END_OF_ASCII } from './unit-kinds.ts'

// What a run costs that was read to its end. Each begins at `start` with its space, if it has one, and then at `from`; `key` is the key of
// what stands in text[from, end). Nothing is handed over in an object: these calls are too many to make one each time.

const LONGEST_BLANK = 31
const OTHER_WORDS = new RunTable(INPUT_TOKEN_TABLES.other_words)
const SYMBOLS = new RunTable(INPUT_TOKEN_TABLES.symbols)
const REPEATED = repeated(INPUT_TOKEN_TABLES.repeated_symbols)
assertAscii(Object.values(INPUT_TOKEN_TABLES.symbols))

/** Spaces, tabs or newlines. */
export function blanksTokens(length: number): number {
  return Math.ceil(length / LONGEST_BLANK)
}

/** Letters of which not all are ASCII. */
export function otherLettersTokens(text: Uint16Array, start: number, from: number, end: number, key: number): number {
  const costs = OTHER_WORDS.find(text, from, end, key, 0)
  return costs === 0 ? mostPieces(text, start, end) : digitAt(costs, start === from ? 1 : 0)
}

/** Symbols that are all ASCII. Others are in no table: they cost the most pieces. */
export function asciiSymbolsTokens(text: Uint16Array, start: number, from: number, end: number, key: number): number {
  const costs = SYMBOLS.find(text, from, end, key, 0)
  if (costs !== 0) return digitAt(costs, start === from ? 1 : 0)
  const symbol = text[from] as number
  let at = from + 1
  while (at < end && text[at] === symbol) at++
  const longest = at === end ? (REPEATED[symbol] as number) : 0
  return longest > 0 ? Math.ceil((end - from) / longest) + (from - start) : mostPieces(text, start, end)
}

function repeated(groups: Record<string, string>): Uint8Array {
  assertAscii(Object.values(groups))
  const longest = new Uint8Array(END_OF_ASCII)
  for (const [length, symbols] of Object.entries(groups)) {
    for (const symbol of symbols) longest[symbol.charCodeAt(0)] = Number(length)
  }
  return longest
}

function assertAscii(groups: string[]): void {
  if (/[^ -~]/.test(groups.join(''))) throw new Error('the tables of symbols hold more than printable ASCII')
}
