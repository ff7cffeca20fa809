import { BREAK, classAt, DIGIT, LETTER, OTHER, pointAt, SPACE } from './character-classes.ts'
import { joinTokens } from './letter-joins.ts'
import { keyed } from './run-table.ts'
import { otherLettersTokens, partTokens, symbolsTokens } from './run-tokens.ts'
import { isShortRun, SHORT_PARTS, SHORT_SYMBOLS, shortRunOf } from './short-runs.ts'
import { endedUnitsOf } from './text-units.ts'

const LONGEST_BLANK = 31

/** How many input tokens a text is charged as, by the published rule. Linear in its length; the text is copied once and cut nowhere. */
export function estimateTextTokens(text: string): number {
  const reader: Reader = { text: endedUnitsOf(text), end: text.length, at: 0, tokens: 0 }
  while (reader.at < reader.end) readRun(reader)
  return reader.tokens
}

/**
 * How far a text was read, and what it costs so far. Each function below reads one run and knows its key when it has found its end: a text
 * goes by once. What costs time is where a processor cannot guess how a run goes on, so nothing walks over a run again without need.
 */
type Reader = { readonly text: Uint16Array; readonly end: number; at: number; tokens: number }

function readRun(reader: Reader): void {
  const { text, at } = reader
  switch (classAt(text, at)) {
    case DIGIT:
      reader.at = at + 1
      reader.tokens += 1
      return
    case LETTER:
      return readLetters(reader, at, at)
    case SPACE: {
      const next = at + 1 < reader.end ? classAt(text, at + 1) : SPACE
      if (next === LETTER) return readLetters(reader, at, at + 1)
      if (next === OTHER) return readSymbols(reader, at, at + 1)
      return readBlanks(reader)
    }
    case BREAK:
      return readBlanks(reader)
    default:
      return readSymbols(reader, at, at)
  }
}

function readBlanks(reader: Reader): void {
  const { text, at } = reader
  const blank = text[at]
  let end = at + 1
  while (text[end] === blank) end++
  reader.tokens += Math.ceil((end - at) / LONGEST_BLANK)
  reader.at = end
}

/** From `start` on, with its space if it has one; the letters begin at `letters`. Part by part, as long as they are ASCII. */
function readLetters(reader: Reader, start: number, letters: number): void {
  const { text } = reader
  let tokens = 0
  let partStart = start
  let from = letters
  for (;;) {
    let at = from
    let key = 0
    let unit = text[at] as number
    while (unit >= 0x41 && unit <= 0x5a) {
      key = keyed(key, unit | 0x20)
      unit = text[++at] as number
    }
    const capitals = at - from
    while (unit >= 0x61 && unit <= 0x7a) {
      key = keyed(key, unit)
      unit = text[++at] as number
    }
    if (unit > 0x7f && classAt(text, at) === LETTER) return readOtherLetters(reader, start, letters)
    const length = at - from
    // A part ends before a capital, or the run ends with it: only behind the last part there is none.
    if (length === 0) break
    if (from > letters) tokens += joinTokens(text, letters, from)
    if (length > 2) tokens += partTokens(text, partStart, from, at, { key, capitals })
    else {
      const { alone, afterSpace } = SHORT_PARTS
      const run = shortRunOf(text[from] as number, length === 2 ? (text[from + 1] as number) : 0)
      tokens += (partStart === from ? alone : afterSpace)[run] as number
    }
    from = at
    partStart = at
  }
  reader.tokens += tokens
  reader.at = from
}

function readOtherLetters(reader: Reader, start: number, letters: number): void {
  const { text, end } = reader
  let at = letters
  let key = 0
  while (at < end && classAt(text, at) === LETTER) {
    key = keyed(key, text[at] as number)
    if (isPairAt(text, at)) key = keyed(key, text[++at] as number)
    at++
  }
  reader.tokens += otherLettersTokens(text, start, letters, at, key)
  reader.at = at
}

function readSymbols(reader: Reader, start: number, symbols: number): void {
  const { text, end } = reader
  const first = text[symbols] as number
  let differing = 0
  let key = 0
  let at = symbols
  do {
    const unit = text[at] as number
    key = keyed(key, unit)
    differing |= unit ^ first
    at += isPairAt(text, at) ? 2 : 1
  } while (at < end && classAt(text, at) === OTHER)
  const length = at - symbols
  const second = length === 2 ? (text[symbols + 1] as number) : 0
  if (isShortRun(length, first, second)) {
    const { alone, afterSpace } = SHORT_SYMBOLS
    reader.tokens += (start === symbols ? alone : afterSpace)[shortRunOf(first, second)] as number
  } else reader.tokens += symbolsTokens(text, start, symbols, at, { key, isRepeated: differing === 0 })
  reader.at = at
}

function isPairAt(text: Uint16Array, index: number): boolean {
  return (text[index] as number) >= 0xd800 && pointAt(text, index) > 0xffff
}
