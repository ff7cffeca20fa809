import { classAt, LETTER } from './character-classes.ts'
import { joinTokens } from './letter-joins.ts'
import { mostPieces, mostPiecesOfLetters } from './most-pieces.ts'
import { keyed } from './run-table.ts'
import { asciiSymbolsTokens, otherLettersTokens } from './run-tokens.ts'
import { END_OF_ASCII, isLetter, KIND_BY_UNIT, SURROGATE } from './unit-kinds.ts'
import { LONGEST_WORD, longWordTokens, SHORT_WORD, shortWordTokens, wordTokens } from './word-table.ts'

const PAIR_TELLS = 2
/** By unit: 1 for letters, 0 for symbols. */
const IS_LETTER = KIND_BY_UNIT.map((kind) => (kind === SURROGATE ? PAIR_TELLS : isLetter(kind) ? 1 : 0))

/**
 * What letters and symbols of all kinds cost, in text[start, end); the first run has a space before it if `spacedStart` is less. Something else
 * stands behind them.
 */
export function stretchTokens(text: Uint16Array, spacedStart: number, start: number, end: number): number {
  let tokens = 0
  let runStart = spacedStart
  for (let at = start; at < end; runStart = at) {
    const from = at
    const isLetters = isLetterAt(text, at)
    let key = 0
    let all = 0
    do {
      const unit = text[at] as number
      key = keyed(key, unit)
      all |= unit
      at++
      // The second half of a pair.
      if ((unit & 0xfc00) === 0xd800 && at < end && ((text[at] as number) & 0xfc00) === 0xdc00)
        key = keyed(key, text[at++] as number)
    } while (at < end && isLetterAt(text, at) === isLetters)
    const isAscii = all < END_OF_ASCII
    if (isLetters === 1)
      tokens += isAscii ? partsTokens(text, runStart, from, at) : otherLettersTokens(text, runStart, from, at, key)
    else tokens += isAscii ? asciiSymbolsTokens(text, runStart, from, at, key) : mostPieces(text, runStart, at)
  }
  return tokens
}

/** A run of ASCII letters: cut where a small letter meets a capital. */
function partsTokens(text: Uint16Array, spacedStart: number, start: number, end: number): number {
  let tokens = 0
  let partStart = spacedStart
  let from = start
  for (let at = start + 1; at <= end; at++) {
    if (at < end && !isCut(text, at)) continue
    tokens += partTokens(text, partStart, from, at)
    if (at < end) tokens += joinTokens(text, at)
    partStart = at
    from = at
  }
  return tokens
}

/** Bit 5 of a code is set in small letters alone. */
function isCut(text: Uint16Array, at: number): boolean {
  return ((text[at - 1] as number) & ~(text[at] as number) & 0x20) !== 0
}

function partTokens(text: Uint16Array, spacedStart: number, start: number, end: number): number {
  const length = end - start
  const isSpaced = start - spacedStart
  let tokens = 0
  if (length > LONGEST_WORD) tokens = longWordTokens(text, start, end, isSpaced)
  else if (length > SHORT_WORD) tokens = wordTokens(text, start, end, isSpaced)
  else if (length > 2) tokens = shortWordTokens(text, start, end, isSpaced)
  return tokens === 0 ? mostPiecesOfLetters(text, spacedStart, end) : tokens
}

function isLetterAt(text: Uint16Array, at: number): number {
  const is = IS_LETTER[text[at] as number] as number
  if (is !== PAIR_TELLS) return is
  return classAt(text, at) === LETTER ? 1 : 0
}
