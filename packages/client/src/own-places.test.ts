import { describe, expect, it } from 'vitest'
import { HASH_FACTORS, ownPlaces } from './own-places.ts'

const SIZES = { bucketBits: 7, placeBits: 9 }
const keysOf = (count: number) => Array.from({ length: count }, (_, index) => Math.imul(index + 1, 0x3c6ef35f))

describe('places of their own', () => {
  it('has every key alone, and two look-ups lead to it', () => {
    const keys = keysOf(450)
    const { shifts, places } = ownPlaces(keys, SIZES)
    expect(new Set(places).size).toBe(keys.length)
    for (const [index, key] of keys.entries()) {
      const shift = shifts[Math.imul(key, HASH_FACTORS.bucket) >>> (32 - SIZES.bucketBits)] as number
      const place = Math.imul(key ^ Math.imul(shift, HASH_FACTORS.shift), HASH_FACTORS.place) >>> (32 - SIZES.placeBits)
      expect(place).toBe(places[index])
    }
  })

  it('are not given to the same key twice, nor to more keys than there are places', () => {
    expect(() => ownPlaces([7, 7], SIZES)).toThrow('no places')
    expect(() => ownPlaces(keysOf(2 ** SIZES.placeBits + 1), SIZES)).toThrow('no places')
  })
})
