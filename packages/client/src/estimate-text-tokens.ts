import { BREAK, classAt, DIGIT, LETTER, OTHER, pointAt, SPACE } from './character-classes.ts'
import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { joinTokens } from './letter-joins.ts'
import { mostPieces } from './most-pieces.ts'
import { digitAt, hashed, RunTable, unitsOf } from './run-table.ts'

const LONGEST_BLANK = 31

const WORDS = new RunTable(INPUT_TOKEN_TABLES.words)
const OTHER_WORDS = new RunTable(INPUT_TOKEN_TABLES.other_words)
const SYMBOLS = new RunTable(INPUT_TOKEN_TABLES.symbols)
const REPEATED = repeated(INPUT_TOKEN_TABLES.repeated_symbols)

/** How many input tokens a text is charged as, by the published rule. Linear in its length; the text is copied once and cut nowhere. */
export function estimateTextTokens(text: string): number {
  return tokensOf(unitsOf(text))
}

function tokensOf(text: Uint16Array): number {
  let tokens = 0
  let index = 0
  while (index < text.length) {
    const start = index
    switch (classAt(text, index)) {
      case DIGIT:
        tokens += 1
        index += 1
        break
      case LETTER:
        index = endOfRun(text, index, LETTER)
        tokens += lettersTokens(text, start, start, index)
        break
      case SPACE: {
        index = endOfSame(text, index)
        const next = index - start === 1 && index < text.length ? classAt(text, index) : SPACE
        if (next === LETTER || next === OTHER) {
          const run = index
          index = endOfRun(text, run, next)
          tokens += next === LETTER ? lettersTokens(text, start, run, index) : symbolsTokens(text, start, run, index)
        } else tokens += Math.ceil((index - start) / LONGEST_BLANK)
        break
      }
      case BREAK:
        index = endOfSame(text, index)
        tokens += Math.ceil((index - start) / LONGEST_BLANK)
        break
      default:
        index = endOfRun(text, index, OTHER)
        tokens += symbolsTokens(text, start, start, index)
    }
  }
  return tokens
}

/** From `start` on, with its space if it has one; the letters begin at `letters`. */
function lettersTokens(text: Uint16Array, start: number, letters: number, end: number): number {
  let tokens = 0
  let partStart = start
  let from = letters
  while (from < end) {
    let border = from
    let hash = 0
    let unit = text[border] as number
    while (unit <= 0x5a) {
      hash = hashed(hash, unit | 0x20)
      if (++border === end) break
      unit = text[border] as number
    }
    const capitals = border - from
    while (border < end && unit > 0x5a) {
      if (unit > 0x7f) return otherLettersTokens(text, start, letters, end)
      hash = hashed(hash, unit)
      if (++border < end) unit = text[border] as number
    }
    if (from > letters) tokens += joinTokens(text, letters, from, end)
    const isWord = capitals <= 1 || capitals === border - from
    const costs = isWord ? WORDS.find(text, from, border, 0x20, hash) : 0
    const form = (capitals === 0 ? 0 : capitals === 1 ? 2 : 4) + (partStart === from ? 1 : 0)
    tokens += costs === 0 ? mostPieces(text, partStart, border) : digitAt(costs, form)
    from = border
    partStart = border
  }
  return tokens
}

function otherLettersTokens(text: Uint16Array, start: number, letters: number, end: number): number {
  const costs = OTHER_WORDS.find(text, letters, end, 0)
  return costs === 0 ? mostPieces(text, start, end) : digitAt(costs, start === letters ? 1 : 0)
}

function symbolsTokens(text: Uint16Array, start: number, symbols: number, end: number): number {
  const costs = SYMBOLS.find(text, symbols, end, 0)
  if (costs !== 0) return digitAt(costs, start === symbols ? 1 : 0)
  const unit = text[symbols] as number
  const longest = unit < 0x80 ? (REPEATED[unit] as number) : 0
  if (longest > 0 && endOfSame(text, symbols) >= end) return Math.ceil((end - symbols) / longest) + (symbols - start)
  return mostPieces(text, start, end)
}

function endOfRun(text: Uint16Array, start: number, runClass: number): number {
  let end = start
  while (end < text.length && classAt(text, end) === runClass) end += isPairAt(text, end) ? 2 : 1
  return end
}

function isPairAt(text: Uint16Array, index: number): boolean {
  return (text[index] as number) >= 0xd800 && pointAt(text, index) > 0xffff
}

function endOfSame(text: Uint16Array, start: number): number {
  const unit = text[start]
  let end = start + 1
  while (end < text.length && text[end] === unit) end++
  return end
}

function repeated(groups: Record<string, string>): Uint8Array {
  const longest = new Uint8Array(128)
  for (const [length, symbols] of Object.entries(groups)) {
    for (const symbol of symbols) longest[symbol.charCodeAt(0)] = Number(length)
  }
  return longest
}
