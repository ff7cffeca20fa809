import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { mostPieces, mostPiecesOfLetters } from './most-pieces.ts'
import { digitAt, RunTable } from './run-table.ts'
import { WordTable } from './word-table.ts'

// What a run costs that was read to its end. Each begins at `start` with its space, if it has one, and then at `from`; `key` is the key of
// what stands in text[from, end). Nothing is handed over in an object: these calls are too many to make one each time.

const WORDS = new WordTable(INPUT_TOKEN_TABLES.words)
const OTHER_WORDS = new RunTable(INPUT_TOKEN_TABLES.other_words)
const SYMBOLS = new RunTable(INPUT_TOKEN_TABLES.symbols)
const REPEATED = repeated(INPUT_TOKEN_TABLES.repeated_symbols)

/** ASCII letters: capitals, as many as said, and then small ones. `low` and `high` are the letters (see WordTable). */
export function partTokens(
  text: Uint16Array,
  start: number,
  from: number,
  end: number,
  capitals: number,
  low: number,
  high: number,
): number {
  const isWord = capitals <= 1 || capitals === end - from
  const costs = isWord ? WORDS.find(text, from, end, low, high) : 0
  const form = (capitals === 0 ? 0 : capitals === 1 ? 2 : 4) + (start === from ? 1 : 0)
  return costs === 0 ? mostPiecesOfLetters(text, start, end) : digitAt(costs, form)
}

/** Letters of which not all are ASCII. */
export function otherLettersTokens(text: Uint16Array, start: number, from: number, end: number, key: number): number {
  const costs = OTHER_WORDS.find(text, from, end, key, 0)
  return costs === 0 ? mostPieces(text, start, end) : digitAt(costs, start === from ? 1 : 0)
}

/** `isRepeated`: it is one and the same symbol, once or more. */
export function symbolsTokens(
  text: Uint16Array,
  start: number,
  from: number,
  end: number,
  key: number,
  isRepeated: boolean,
): number {
  const costs = SYMBOLS.find(text, from, end, key, 0)
  if (costs !== 0) return digitAt(costs, start === from ? 1 : 0)
  const symbol = text[from] as number
  const longest = isRepeated && symbol < 0x80 ? (REPEATED[symbol] as number) : 0
  return longest > 0 ? Math.ceil((end - from) / longest) + (from - start) : mostPieces(text, start, end)
}

function repeated(groups: Record<string, string>): Uint8Array {
  const longest = new Uint8Array(128)
  for (const [length, symbols] of Object.entries(groups)) {
    for (const symbol of symbols) longest[symbol.charCodeAt(0)] = Number(length)
  }
  return longest
}
