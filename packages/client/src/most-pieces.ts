import { bitOf, isKnown, pointAt, utf8Bytes } from './character-classes.ts'
import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'

// A byte-pair tokenizer leaves no two neighbours that it could merge. So the most pieces a run can be cut into, where no two neighbours
// make up a listed pair or triple, is at least the number of its tokens, whatever the text: nothing is guessed from how likely letters are.

const FIRST_LETTERS = 53 // a space, a to z, A to Z
const SECOND_LETTERS = 52
const NONE = 255
const IMPOSSIBLE = -1_000_000_000

/** By ASCII code: 0 for the space, 1 to 26 for a to z, 27 to 52 for A to Z, else NONE. */
const LETTER_INDEX = letterIndex()
const LETTER_PAIRS = bits(INPUT_TOKEN_TABLES.letter_pairs, FIRST_LETTERS * SECOND_LETTERS)
const LETTER_TRIPLES = bits(INPUT_TOKEN_TABLES.letter_triples, FIRST_LETTERS * 26 * 26)
const PAIR_MASK = 0xffff
const PAIR_SLOTS = pairSlots(INPUT_TOKEN_TABLES.pairs)

/** The most pieces of text[start, end). Linear; a character without a token of its own counts its bytes and parts what stands around it. */
export function mostPieces(text: Uint16Array, start: number, end: number): number {
  let pieces = 0
  let before = -1
  let beforeThat = -1
  // Most pieces up to the last and the last but one character, by the length of the last piece: one, two, three or more.
  let one1 = IMPOSSIBLE
  let two1 = IMPOSSIBLE
  let more1 = 0
  let one2 = IMPOSSIBLE
  let two2 = IMPOSSIBLE
  let more2 = IMPOSSIBLE
  // Not the most up to the third last: the count can fall from one character to the next, and a long piece reaches back over the fall.
  let most3 = IMPOSSIBLE
  for (let index = start; index < end; index++) {
    const point = pointAt(text, index)
    if (point > 0xffff) index++
    if (!isKnown(point)) {
      pieces += max3(one1, two1, more1) + utf8Bytes(point)
      before = -1
      beforeThat = -1
      one1 = two1 = one2 = two2 = more2 = most3 = IMPOSSIBLE
      more1 = 0
      continue
    }
    const pair = before >= 0 && isPair(before, point)
    const triple = pair && beforeThat >= 0 && isTriple(beforeThat, before, point)
    const isTripleApart = triple || (!pair && beforeThat >= 0 && isTriple(beforeThat, before, point))
    const one = 1 + max3(pair ? IMPOSSIBLE : one1, isTripleApart ? IMPOSSIBLE : two1, more1)
    const two = pair ? 1 + max3(triple ? IMPOSSIBLE : one2, two2, more2) : IMPOSSIBLE
    const more = 1 + most3
    most3 = max3(most3, more2, one2 > two2 ? one2 : two2)
    one2 = one1
    two2 = two1
    more2 = more1
    one1 = one
    two1 = two
    more1 = more
    beforeThat = before
    before = point
  }
  return pieces + max3(one1, two1, more1)
}

function max3(a: number, b: number, c: number): number {
  return a > b ? (a > c ? a : c) : b > c ? b : c
}

function isPair(first: number, second: number): boolean {
  if (first < 0x80 && second < 0x80) {
    const a = LETTER_INDEX[first] as number
    const b = LETTER_INDEX[second] as number
    if (a !== NONE && b !== NONE && b > 0) return LETTER_PAIRS[a * SECOND_LETTERS + b - 1] === 1
  }
  if (first > 0xffff || second > 0xffff) return false
  const key = ((first << 16) | second) >>> 0
  let slot = slotOf(key)
  for (;;) {
    const found = PAIR_SLOTS[slot] as number
    if (found === 0) return false
    if (found === key) return true
    slot = (slot + 1) & PAIR_MASK
  }
}

function isTriple(first: number, second: number, third: number): boolean {
  if (first > 0x7f || second > 0x7a || second < 0x61 || third > 0x7a || third < 0x61) return false
  const a = LETTER_INDEX[first] as number
  return a !== NONE && LETTER_TRIPLES[(a * 26 + second - 0x61) * 26 + third - 0x61] === 1
}

function slotOf(key: number): number {
  return (Math.imul(key ^ (key >>> 16), 0x9e3779b1) >>> 16) & PAIR_MASK
}

function letterIndex(): Uint8Array {
  const index = new Uint8Array(128).fill(NONE)
  index[0x20] = 0
  for (let letter = 0; letter < 26; letter++) {
    index[0x61 + letter] = 1 + letter
    index[0x41 + letter] = 27 + letter
  }
  return index
}

function bits(hex: string, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, bit) => (bitOf(hex, bit) ? 1 : 0))
}

/** The key 0 would be two NULs, which are no pair. */
function pairSlots(pairs: string): Uint32Array {
  const slots = new Uint32Array(PAIR_MASK + 1)
  for (let index = 0; index < pairs.length; index += 2) {
    const key = ((pairs.charCodeAt(index) << 16) | pairs.charCodeAt(index + 1)) >>> 0
    let slot = slotOf(key)
    while (slots[slot] !== 0) slot = (slot + 1) & PAIR_MASK
    slots[slot] = key
  }
  return slots
}
