import { bitOf, isKnown, pointAt, utf8Bytes } from './character-classes.ts'
import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { isListedPair } from './listed-pairs.ts'
import { PAIR as PAIR_STEP, PIECE_AUTOMATON, TRIPLE as TRIPLE_STEP, UNKNOWN as UNKNOWN_STEP } from './piece-automaton.ts'

// A byte-pair tokenizer leaves no two neighbours that it could merge. So the most pieces a run can be cut into, where no two neighbours
// make up a listed pair or triple, is at least the number of its tokens, whatever the text: nothing is guessed from how likely letters are.

// Constants of this module, because an imported one is loaded and checked at every use.
const { nextState: NEXT_STATE, gained: GAINED } = PIECE_AUTOMATON
const PAIR = PAIR_STEP
const TRIPLE = TRIPLE_STEP
const UNKNOWN = UNKNOWN_STEP

const FIRST_LETTERS = 53 // a space, a to z, A to Z
const SECOND_LETTERS = 52
const LETTERS = ' abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** From here on every ASCII character has a token of its own; some control characters have none. */
const FIRST_PRINTABLE = 0x20
const END_OF_ASCII = 0x80
/** By unit: 0 for a known character, otherwise its bytes of UTF-8. */
const UNKNOWN_BYTES = Uint8Array.from({ length: 0x1_0000 }, (_, unit) => (isKnown(unit) ? 0 : utf8Bytes(unit)))

/**
 * What two ASCII characters side by side are, by both codes: the bit PAIR when they are a pair, and bit 1 to 26 when a to z makes them a
 * triple. Nothing but a to z ends a triple, so the code of the third character, modulo 32 as shifts count, is its bit.
 */
const NEIGHBOURS = neighbours()

/** The same of letters and the space alone, by the lower six bits of their codes: 16 KB, which stay in the nearest cache. */
const LETTER_NEIGHBOURS = letterNeighbours()

/**
 * The most pieces of text[start, end). Linear; a character without a token of its own counts its bytes and parts what stands around it. It
 * branches on nothing but surrogates, and on whether two neighbours are ASCII.
 */
export function mostPieces(text: Uint16Array, start: number, end: number): number {
  let pieces = 0
  let state = 0
  // Before the first character: a NUL is in no pair.
  let before = 0
  let neighboursBefore = 0
  for (let index = start; index < end; index++) {
    const unit = text[index] as number
    let neighbours = 0
    let unknownBytes: number
    if ((unit & 0xf800) === 0xd800) {
      const point = pointAt(text, index)
      if (point > 0xffff) index++
      unknownBytes = isKnown(point) ? 0 : utf8Bytes(point)
    } else {
      unknownBytes = UNKNOWN_BYTES[unit] as number
      neighbours =
        (before | unit) < END_OF_ASCII ? (NEIGHBOURS[(before << 7) | unit] as number) : isListedPair(before, unit) * PAIR
    }
    // A carry says whether the code is one of 0x60 to 0x7f, and whether any bytes are unknown.
    const maySmall = (((unit ^ 0x60) >>> 5) - 1) >>> 31
    const isTriple = ((neighboursBefore & ~PAIR) >>> unit) & maySmall
    const isUnknown = -unknownBytes >>> 31
    const step = state + (neighbours & PAIR) + isTriple * TRIPLE + isUnknown * UNKNOWN
    pieces += (GAINED[step] as number) + unknownBytes
    state = NEXT_STATE[step] as number
    before = unit
    neighboursBefore = neighbours
  }
  return pieces
}

/** The same of ASCII letters, perhaps with a space before them. Random letters go this way: it branches on none of them. */
export function mostPiecesOfLetters(text: Uint16Array, start: number, end: number): number {
  let pieces = GAINED[0] as number
  let state = NEXT_STATE[0] as number
  let before = text[start] as number
  let neighboursBefore = 0
  for (let index = start + 1; index < end; index++) {
    const unit = text[index] as number
    const neighbours = LETTER_NEIGHBOURS[((before & 63) << 6) | (unit & 63)] as number
    // Bit 5 of a code is set in small letters alone, among letters.
    const step = state + (neighbours & PAIR) + ((neighboursBefore >>> unit) & (unit >> 5) & 1) * TRIPLE
    pieces += GAINED[step] as number
    state = NEXT_STATE[step] as number
    before = unit
    neighboursBefore = neighbours
  }
  return pieces
}

function neighbours(): Int32Array {
  const pairs = bits(INPUT_TOKEN_TABLES.letter_pairs, FIRST_LETTERS * SECOND_LETTERS)
  const triples = bits(INPUT_TOKEN_TABLES.letter_triples, FIRST_LETTERS * 26 * 26)
  const table = new Int32Array(128 * 128)
  for (let first = 0; first < 128; first++) {
    if (first >= FIRST_PRINTABLE && !isKnown(first)) throw new Error(`no token for the ASCII character ${first}`)
    for (let second = 0; second < 128; second++) {
      const a = LETTERS.indexOf(String.fromCharCode(first))
      const b = LETTERS.indexOf(String.fromCharCode(second)) - 1
      let found = a >= 0 && b >= 0 ? (pairs[a * SECOND_LETTERS + b] as number) : isListedPair(first, second) * PAIR
      if (a >= 0 && b >= 0 && b < 26) {
        for (let third = 0; third < 26; third++) found |= (triples[(a * 26 + b) * 26 + third] as number) << (third + 1)
      }
      table[(first << 7) | second] = found
    }
  }
  return table
}

function letterNeighbours(): Int32Array {
  const codes = [...LETTERS].map((letter) => letter.charCodeAt(0))
  const table = new Int32Array(64 * 64)
  for (const first of codes) {
    for (const second of codes) table[((first & 63) << 6) | (second & 63)] = NEIGHBOURS[(first << 7) | second] as number
  }
  return table
}

function bits(hex: string, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, bit) => (bitOf(hex, bit) ? 1 : 0))
}
