import { BREAK, classAt, LETTER, OTHER, pointAt, SPACE } from './character-classes.ts'
import { joinTokens } from './letter-joins.ts'
import { keyed } from './run-table.ts'
import { otherLettersTokens, partTokens, symbolsTokens } from './run-tokens.ts'
import { isShortRun, shortTokens } from './short-runs.ts'
import { NEXT, nextOf, stepAt, stepLength, stepTokens } from './short-steps.ts'
import { unitsFrom } from './text-units.ts'

const LONGEST_BLANK = 31
const END_OF_ASCII = 0x80
const SPACE_CODE = 0x20
// Constants of this module, because an imported one is loaded and checked at every use.
const { UNTOLD, LETTERS, SPACED_LETTERS, SYMBOLS, SPACED_SYMBOLS, BLANKS } = NEXT

/** In so many units a text is read: a function that is called again and again is compiled better than a loop that is in it for long. */
const STRETCH = 1024

/** How many input tokens a text is charged as, by the published rule. Linear in its length; a text is copied in parts that end with a run. */
export function estimateTextTokens(text: string): number {
  let tokens = 0
  let from = 0
  while (from < text.length) {
    const { units, end } = unitsFrom(text, from)
    const reader: Reader = { text: units, end, tokens: 0 }
    for (let at = 0; at < end; ) at = readRuns(reader, at, Math.min(at + STRETCH, end))
    tokens += reader.tokens
    from += end
  }
  return tokens
}

/**
 * A text, or a window of it, and what its longer runs cost so far. Each function below reads the run that begins at an index, adds what it costs, and returns
 * where it ends. It knows the key of the run by then: a text goes by once. What costs time is where a processor cannot guess how a run goes
 * on, so nothing walks over a run again without need.
 */
type Reader = { readonly text: Uint16Array; readonly end: number; tokens: number }

/** Reads runs from `start` on, until one ends at `until` or behind it; a row of words is one there. */
function readRuns(reader: Reader, start: number, until: number): number {
  const { text } = reader
  let tokens = 0
  let at = start
  while (at < until) {
    if ((text[at] as number) >= END_OF_ASCII) {
      at = readRun(reader, at)
      continue
    }
    const step = stepAt(text, at)
    tokens += stepTokens(step, text, at)
    at += stepLength(step)
    switch (nextOf(step)) {
      case UNTOLD:
        break
      case LETTERS:
        at = readLetters(reader, at, at)
        break
      case SPACED_LETTERS:
        at = readLetters(reader, at, at + 1)
        break
      case SYMBOLS:
        at = readSymbols(reader, at, at)
        break
      case SPACED_SYMBOLS:
        at = readSymbols(reader, at, at + 1)
        break
      case BLANKS:
        at = readBlanks(reader, at)
        break
      default:
        at = readRun(reader, at)
    }
  }
  reader.tokens += tokens
  return at
}

function readRun(reader: Reader, at: number): number {
  const { text } = reader
  switch (classAt(text, at)) {
    case LETTER:
      return (text[at] as number) >= END_OF_ASCII ? readOtherLetters(reader, at, at) : readLetters(reader, at, at)
    case SPACE: {
      const next = at + 1 < reader.end ? classAt(text, at + 1) : SPACE
      if (next === LETTER) return readLetters(reader, at, at + 1)
      if (next === OTHER) return readSymbols(reader, at, at + 1)
      return readBlanks(reader, at)
    }
    case BREAK:
      return readBlanks(reader, at)
    default:
      return readSymbols(reader, at, at)
  }
}

function readBlanks(reader: Reader, at: number): number {
  const { text } = reader
  const blank = text[at]
  let end = at + 1
  while (text[end] === blank) end++
  reader.tokens += Math.ceil((end - at) / LONGEST_BLANK)
  return end
}

/**
 * From `firstStart` on, with its space if it has one; its letters begin at `firstLetters`. Part by part, as long as they are ASCII. What
 * follows a word in prose is nearly always a space and a word: those are read at once, without asking for a step.
 */
function readLetters(reader: Reader, firstStart: number, firstLetters: number): number {
  const { text } = reader
  let tokens = 0
  let start = firstStart
  let letters = firstLetters
  let partStart = start
  let from = letters
  for (;;) {
    let at = from
    // The last twelve letters, five bits each (see WordTable).
    let low = 0
    let high = 0
    let unit = text[at] as number
    while (isCapital(unit)) {
      high = (high << 5) | (low >>> 27)
      low = (low << 5) | (unit & 31)
      unit = text[++at] as number
    }
    const capitals = at - from
    while (isSmall(unit)) {
      high = (high << 5) | (low >>> 27)
      low = (low << 5) | (unit & 31)
      unit = text[++at] as number
    }
    if (unit >= END_OF_ASCII && classAt(text, at) === LETTER) return readOtherLetters(reader, start, letters)
    const length = at - from
    if (from > letters) tokens += joinTokens(text, letters, from)
    if (length > 2) tokens += partTokens(text, partStart, from, at, capitals, low, high)
    else {
      const second = length === 2 ? (text[from + 1] as number) : 0
      tokens += shortTokens(text[from] as number, second, partStart < from)
    }
    // A part ends before a capital, or the run ends with it.
    if (isCapital(unit)) {
      partStart = at
      from = at
      continue
    }
    reader.tokens += tokens
    if (unit !== SPACE_CODE || !isSmall(text[at + 1] as number) || !isSmall(text[at + 2] as number)) return at
    tokens = 0
    start = at
    letters = at + 1
    partStart = start
    from = letters
  }
}

function readOtherLetters(reader: Reader, start: number, letters: number): number {
  const { text, end } = reader
  let at = letters
  let key = 0
  while (at < end && classAt(text, at) === LETTER) {
    key = keyed(key, text[at] as number)
    if (isPairAt(text, at)) key = keyed(key, text[++at] as number)
    at++
  }
  reader.tokens += otherLettersTokens(text, start, letters, at, key)
  return at
}

function readSymbols(reader: Reader, start: number, symbols: number): number {
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
  if (isShortRun(length, first, second)) reader.tokens += shortTokens(first, second, start < symbols)
  else reader.tokens += symbolsTokens(text, start, symbols, at, key, differing === 0)
  return at
}

function isPairAt(text: Uint16Array, index: number): boolean {
  return (text[index] as number) >= 0xd800 && pointAt(text, index) > 0xffff
}

// One comparison each: what is below wraps around.
function isCapital(unit: number): boolean {
  return (unit - 0x41) >>> 0 < 26
}

function isSmall(unit: number): boolean {
  return (unit - 0x61) >>> 0 < 26
}
