import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'

export const OTHER = 0
export const LETTER = 1
export const SPACE = 2
export const DIGIT = 3
/** Newline and tab: each stands in runs of itself. */
export const BREAK = 4
/** A UTF-16 unit that needs its neighbour to be a character. */
const SURROGATE = 5

const CODE_POINTS = 0x11_0000
const CLASS = 7
const KNOWN = 8
/** By code point: its class, and whether the tokenizer has a token for it. One byte each, 1.1 MB: a look-up is one load. */
const TRAITS = traits()

/** The class of the character at an index. */
export function classAt(text: Uint16Array, index: number): number {
  const unitClass = (TRAITS[text[index] as number] as number) & CLASS
  return unitClass === SURROGATE ? classOfPair(pointAt(text, index)) : unitClass
}

function classOfPair(point: number): number {
  return point < 0x1_0000 ? OTHER : (TRAITS[point] as number) & CLASS
}

export function isKnown(point: number): boolean {
  return ((TRAITS[point] as number) & KNOWN) !== 0
}

/** The code point at an index of a UTF-16 text; half a surrogate pair stands for itself. */
export function pointAt(text: Uint16Array, index: number): number {
  const unit = text[index] as number
  if (unit < 0xd800 || unit > 0xdfff) return unit
  if (unit > 0xdbff || index + 1 === text.length) return unit
  const low = text[index + 1] as number
  return low >= 0xdc00 && low <= 0xdfff ? ((unit - 0xd800) << 10) + (low - 0xdc00) + 0x1_0000 : unit
}

export function utf8Bytes(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4
}

function traits(): Uint8Array {
  const table = new Uint8Array(CODE_POINTS)
  table.fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b).fill(DIGIT, 0x30, 0x3a)
  table[0x20] = SPACE
  table[0x09] = BREAK
  table[0x0a] = BREAK
  for (const range of INPUT_TOKEN_TABLES.letter_ranges.split(' ')) {
    const [first = 0, last = 0] = range.split('-').map((hex) => Number.parseInt(hex, 16))
    table.fill(LETTER, first, last + 1)
  }
  for (const [block, hex] of Object.entries(INPUT_TOKEN_TABLES.known_characters)) {
    const start = Number.parseInt(block, 16) * 256
    for (let offset = 0; offset < 256; offset++) {
      if (bitOf(hex, offset)) table[start + offset] = (table[start + offset] as number) | KNOWN
    }
  }
  return table.fill(SURROGATE, 0xd800, 0xe000)
}

/** Bit n of a published bit field: two hex digits per byte, the lowest bit of a byte first. */
export function bitOf(hex: string, bit: number): boolean {
  const byte = Number.parseInt(hex.slice((bit >> 3) * 2, (bit >> 3) * 2 + 2), 16)
  return ((byte >> (bit & 7)) & 1) === 1
}
