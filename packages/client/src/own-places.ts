// Keys that are known ahead get a place each, to which two look-ups lead whatever the key is: no search that ends here or there, which a
// processor would guess wrong. The key's bucket says by how much its hash is shifted; whether it stands in its place has to be compared.
// Who looks up writes `placeOf` out, with constants of its own module: an imported one is loaded at every use.

/** Any odd numbers whose bits are well mixed. */
export const HASH_FACTORS = { bucket: 0x9e3779b1 | 0, shift: 0x27d4eb2f, place: 0x2545f491 }
const MOST_SHIFT = 0xffff

export type OwnPlaces = { shifts: Uint16Array; places: number[] }

/** Of different keys of 32 bits. There are 2 ** placeBits places; the fuller they are, the longer this takes. */
export function ownPlaces(
  keys: readonly number[],
  { bucketBits, placeBits }: { bucketBits: number; placeBits: number },
): OwnPlaces {
  const buckets = Array.from({ length: 1 << bucketBits }, (): number[] => [])
  for (const [index, key] of keys.entries()) buckets[bucketOf(key, bucketBits)]?.push(index)
  const shifts = new Uint16Array(1 << bucketBits)
  const places = new Array<number>(keys.length).fill(0)
  const isTaken = new Uint8Array(1 << placeBits)
  const fullestFirst = [...buckets.entries()].sort(([, a], [, b]) => b.length - a.length)
  for (const [bucket, indexes] of fullestFirst) {
    const own = indexes.map((index) => keys[index] as number)
    const shift = takeShift(own, isTaken, placeBits)
    shifts[bucket] = shift
    for (const index of indexes) places[index] = placeOf(keys[index] as number, shift, placeBits)
  }
  return { shifts, places }
}

/** The first shift that leads every key of a bucket to a free place. Takes these. */
function takeShift(keys: readonly number[], isTaken: Uint8Array, placeBits: number): number {
  for (let shift = 0; shift <= MOST_SHIFT; shift++) {
    let taken = 0
    for (; taken < keys.length; taken++) {
      const place = placeOf(keys[taken] as number, shift, placeBits)
      if (isTaken[place] === 1) break
      isTaken[place] = 1
    }
    if (taken === keys.length) return shift
    while (taken > 0) isTaken[placeOf(keys[--taken] as number, shift, placeBits)] = 0
  }
  throw new Error('no places for these keys')
}

function bucketOf(key: number, bucketBits: number): number {
  return Math.imul(key, HASH_FACTORS.bucket) >>> (32 - bucketBits)
}

function placeOf(key: number, shift: number, placeBits: number): number {
  return Math.imul(key ^ Math.imul(shift, HASH_FACTORS.shift), HASH_FACTORS.place) >>> (32 - placeBits)
}
