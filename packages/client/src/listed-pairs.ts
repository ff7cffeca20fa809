import { isKnown } from './character-classes.ts'
import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { HASH_FACTORS, ownPlaces } from './own-places.ts'

const SIZES = { bucketBits: 12, placeBits: 14 }
const TO_BUCKET = 32 - SIZES.bucketBits
const TO_PLACE = 32 - SIZES.placeBits
const { bucket: BUCKET_FACTOR, shift: SHIFT_FACTOR, place: PLACE_FACTOR } = HASH_FACTORS
/** By place: the pair, first << 16 | second. */
const { shifts: SHIFTS, pairs: PAIRS } = pairTable(INPUT_TOKEN_TABLES.pairs)

/** Whether two UTF-16 units are a pair that the tables list one by one: 1 or 0. Nobody has to ask, which a processor would guess wrong. */
export function isListedPair(first: number, second: number): number {
  const pair = (first << 16) | second
  const shift = SHIFTS[Math.imul(pair, BUCKET_FACTOR) >>> TO_BUCKET] as number
  const place = Math.imul(pair ^ Math.imul(shift, SHIFT_FACTOR), PLACE_FACTOR) >>> TO_PLACE
  const differs = (PAIRS[place] as number) ^ pair
  return 1 + ((differs | -differs) >> 31)
}

/** An empty place is a pair of NULs, which is none. */
function pairTable(listed: string): { shifts: Uint16Array; pairs: Int32Array } {
  const units = Array.from({ length: listed.length }, (_, index) => listed.charCodeAt(index))
  // Who counts pieces relies on this: what is not known parts what stands around it, and so does half a surrogate pair.
  if (!units.every(isKnown)) throw new Error('a pair of characters holds one that is not known')
  const keys = Array.from(
    { length: units.length / 2 },
    (_, index) => ((units[index * 2] as number) << 16) | (units[index * 2 + 1] as number),
  )
  const { shifts, places } = ownPlaces(keys, SIZES)
  const pairs = new Int32Array(1 << SIZES.placeBits)
  for (const [index, place] of places.entries()) pairs[place] = keys[index] as number
  return { shifts, pairs }
}
