import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { HASH_FACTORS, ownPlaces } from './own-places.ts'
import { digitsPacked, keyed, RunTable } from './run-table.ts'

// Words of ASCII letters and what they cost. Six letters of five bits each are a number that says which word it is, together with how many
// letters there are: shorter words overlap in it. A word of up to twelve letters is two such numbers. Longer ones are few and stand in a
// table of runs. What is no word is told by one comparison: nothing searches, and nothing branches.

export const SHORT_WORD = 6
export const LONGEST_WORD = 12
const SHORTEST_WORD = 3

const LETTER = 31
/** Buckets and places of these tables: they have to stay in a processor's cache, behind which a look-up takes ten times as long. */
const SIZES = { bucketBits: 12, placeBits: 14 }
const TO_BUCKET = 32 - SIZES.bucketBits
const TO_PLACE = 32 - SIZES.placeBits
const { bucket: BUCKET_FACTOR, shift: SHIFT_FACTOR, place: PLACE_FACTOR } = HASH_FACTORS

const GROUPS = Object.entries(INPUT_TOKEN_TABLES.words).map(([digits, group]) => ({ digits, words: group.split(' ') }))
/** Two numbers a slot: the key and the costs. */
const { shifts: SHORT_SHIFTS, slots: SHORT_SLOTS } = shortWords()
/** Four numbers a slot: both keys, the costs, and nothing, so that a slot is in one line of a cache. */
const { shifts: WORD_SHIFTS, slots: WORD_SLOTS } = middleWords()
const LONG_WORDS = longWords()

/**
 * The costs of a word stand in its six cases four bits apart; past them there is no word. By whether the first letter is small (1), the
 * second (2) and the last (4), where capitals come before small letters: the place of the case with a space before it.
 */
const CASES = Uint8Array.from({ length: 8 }, (_, small) => {
  if ((small & 1) !== 0) return 0
  if ((small & 2) !== 0) return 8
  return (small & 4) === 0 ? 16 : 24
})

/** What three to six letters cost, which are capitals and then small ones; 0: they are no word. `isSpaced` is 1 after a space, or 0. */
export function shortWordTokens(text: Uint16Array, start: number, end: number, isSpaced: number): number {
  const first = text[start] as number
  const second = text[start + 1] as number
  const last = text[end - 1] as number
  const front = threeLetters(first, second, text[start + 2] as number)
  const back = threeLetters(text[end - 3] as number, text[end - 2] as number, last)
  const key = shortKey(front, back, end - start)
  const shift = SHORT_SHIFTS[Math.imul(key, BUCKET_FACTOR) >>> TO_BUCKET] as number
  const slot = (Math.imul(key ^ Math.imul(shift, SHIFT_FACTOR), PLACE_FACTOR) >>> TO_PLACE) << 1
  const costs = (SHORT_SLOTS[slot + 1] as number) & ifZero((SHORT_SLOTS[slot] as number) ^ key)
  return (costs >>> caseOf(first, second, last, isSpaced)) & 15
}

/** The same of seven to twelve letters. */
export function wordTokens(text: Uint16Array, start: number, end: number, isSpaced: number): number {
  const low = lowKey(text, start, end)
  const high = highKey(text, start, end)
  const key = mixed(low, high)
  const shift = WORD_SHIFTS[Math.imul(key, BUCKET_FACTOR) >>> TO_BUCKET] as number
  const slot = (Math.imul(key ^ Math.imul(shift, SHIFT_FACTOR), PLACE_FACTOR) >>> TO_PLACE) << 2
  const differs = ((WORD_SLOTS[slot] as number) ^ low) | ((WORD_SLOTS[slot + 1] as number) ^ high)
  const costs = (WORD_SLOTS[slot + 2] as number) & ifZero(differs)
  return (costs >>> caseOf(text[start] as number, text[start + 1] as number, text[end - 1] as number, isSpaced)) & 15
}

/** The same of more letters. */
export function longWordTokens(text: Uint16Array, start: number, end: number, isSpaced: number): number {
  if (end - start > LONG_WORDS.longest) return 0
  let key = 0
  for (let at = start; at < end; at++) key = keyed(key, (text[at] as number) | 0x20)
  const costs = LONG_WORDS.find(text, start, end, key, 0x20)
  return (costs >>> caseOf(text[start] as number, text[start + 1] as number, text[end - 1] as number, isSpaced)) & 15
}

/** Bit 5 of a code is set in small letters alone. */
function caseOf(first: number, second: number, last: number, isSpaced: number): number {
  const small = ((first >> 5) & 1) | ((second >> 4) & 2) | ((last >> 3) & 4)
  return (CASES[small] as number) + 4 - (isSpaced << 2)
}

/** All bits, or none of them. */
function ifZero(value: number): number {
  return ~((value | -value) >> 31)
}

/** The first three letters and the last three, and how many there are. */
function shortKey(front: number, back: number, length: number): number {
  return ((length - SHORTEST_WORD) << 30) | (front << 15) | back
}

function threeLetters(first: number, second: number, third: number): number {
  return ((first & LETTER) << 10) | ((second & LETTER) << 5) | (third & LETTER)
}

/** The last six letters and the first six. Of how many letters there are, each has some bits. */
function lowKey(text: Uint16Array, start: number, end: number): number {
  return sixLetters(text, end - SHORT_WORD) | (((end - start - SHORT_WORD - 1) >> 2) << 30)
}

function highKey(text: Uint16Array, start: number, end: number): number {
  return (sixLetters(text, start) << 2) | ((end - start - SHORT_WORD - 1) & 3)
}

function sixLetters(text: Uint16Array, at: number): number {
  const front = threeLetters(text[at] as number, text[at + 1] as number, text[at + 2] as number)
  return (front << 15) | threeLetters(text[at + 3] as number, text[at + 4] as number, text[at + 5] as number)
}

function mixed(low: number, high: number): number {
  return low ^ Math.imul(high, 0x7feb352d)
}

function wordsOf(shortest: number, longest: number): { letters: Uint16Array; costs: number }[] {
  return GROUPS.flatMap(({ digits, words }) =>
    words
      .filter(({ length }) => length >= shortest && length <= longest)
      .map((word) => ({ letters: Uint16Array.from(word, (letter) => letter.charCodeAt(0)), costs: digitsPacked(digits) })),
  )
}

function shortWords(): { shifts: Uint16Array; slots: Int32Array } {
  const words = wordsOf(SHORTEST_WORD, SHORT_WORD).map(({ letters, costs }) => {
    const [first = 0, second = 0, third = 0] = letters
    const [thirdLast = 0, secondLast = 0, last = 0] = letters.slice(-3)
    return { key: shortKey(threeLetters(first, second, third), threeLetters(thirdLast, secondLast, last), letters.length), costs }
  })
  const { shifts, places } = ownPlaces(
    words.map(({ key }) => key),
    SIZES,
  )
  const slots = new Int32Array(2 << SIZES.placeBits)
  for (const [index, { key, costs }] of words.entries()) slots.set([key, costs], (places[index] as number) << 1)
  return { shifts, slots }
}

function middleWords(): { shifts: Uint16Array; slots: Int32Array } {
  const words = wordsOf(SHORT_WORD + 1, LONGEST_WORD).map(({ letters, costs }) => ({
    low: lowKey(letters, 0, letters.length),
    high: highKey(letters, 0, letters.length),
    costs,
  }))
  const { shifts, places } = ownPlaces(
    words.map(({ low, high }) => mixed(low, high)),
    SIZES,
  )
  const slots = new Int32Array(4 << SIZES.placeBits)
  for (const [index, { low, high, costs }] of words.entries()) slots.set([low, high, costs], (places[index] as number) << 2)
  return { shifts, slots }
}

function longWords(): RunTable {
  const groups = GROUPS.map(
    ({ digits, words }) => [digits, words.filter(({ length }) => length > LONGEST_WORD).join(' ')] as const,
  )
  return new RunTable(Object.fromEntries(groups.filter(([, words]) => words !== '')))
}
