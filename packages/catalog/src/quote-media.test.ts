import { formatUsdc } from '@turnpike/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { PUBLISHED_PRICES, quoteImage, quoteSpeech, usePrices } from './index.ts'

afterEach(() => usePrices(PUBLISHED_PRICES))

function withFee(serviceFeeBasisPoints: number) {
  usePrices({ ...PUBLISHED_PRICES, serviceFeeBasisPoints })
  return { quoteImage, quoteSpeech }
}

describe('the price of an image', () => {
  it('is 0.035, and the receipt says of what', () => {
    const { price } = quoteImage()
    expect(formatUsdc(price.amountAtomic)).toBe('0.035')
    expect(price.inputs).toMatchObject({
      billing_mode: 'per_image_specification',
      image_size: '1K',
      aspect_ratio: '1:1',
      images: 1,
      price_per_successful_image_usd: '0.035',
      service_fee_basis_points: 0,
    })
  })

  it('has the fee on top', async () => {
    expect(withFee(250).quoteImage().price.amountAtomic).toBe(35_875n)
  })
})

describe('the price of speech', () => {
  const amountOf = (characters: number) => quoteSpeech({ characters }).price.amountAtomic

  it.each([
    [1, '0.002'],
    [9, '0.002'],
    // 9 characters would be 0.0019845, 10 are 0.002205: the minimum ends between them.
    [10, '0.002205'],
    [11, '0.002426'], // 0.0024255, rounded up
    [1_000, '0.2205'],
    [1_999, '0.44078'], // 0.4407795, rounded up
    [2_000, '0.441'],
  ])('of %i characters is %s', (characters, usd) => {
    expect(formatUsdc(amountOf(characters))).toBe(usd)
  })

  it('is the exact rational rounded up once, for every length', () => {
    for (let characters = 1; characters <= 2_000; characters++) {
      const exact = (BigInt(characters) * 2_205n + 9n) / 10n
      expect(amountOf(characters), `${characters}`).toBe(exact < 2_000n ? 2_000n : exact)
    }
  })

  it('is on the receipt with what it was computed from', () => {
    expect(quoteSpeech({ characters: 12 }).price.inputs).toEqual({
      billing_mode: 'fixed_request_characters',
      characters: 12,
      price_per_thousand_characters_usd: '0.2205',
      service_fee_basis_points: 0,
      minimum_usd: '0.002',
    })
  })

  it('has the fee before the minimum', async () => {
    const { quoteSpeech: withTen } = await withFee(1_000)
    expect(withTen({ characters: 8 }).price.amountAtomic).toBe(2_000n) // 0.00194040
    expect(withTen({ characters: 9 }).price.amountAtomic).toBe(2_183n) // 0.00218295
    expect(withTen({ characters: 2_000 }).price.amountAtomic).toBe(485_100n)
  })
})
