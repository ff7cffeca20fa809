import { parseUsdc } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { priceLines } from './price-lines.ts'
import { type PricedRequest, quoteText } from './quote.ts'
import { quoteImage } from './quote-image.ts'
import { quoteSpeech } from './quote-speech.ts'
import { quoteTranscription } from './quote-transcription.ts'

function priced(quote: ReturnType<typeof quoteText>): PricedRequest {
  if (!quote.ok) throw new Error(quote.code)
  return quote.price
}

/** In units of a millionth of an atomic unit, so that twelve places add up exactly. */
function sumOf(price: PricedRequest): bigint {
  return priceLines(price)
    .map(({ amount_usd }) => {
      const [whole = '0', fraction = ''] = amount_usd.split('.')
      return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, '0'))
    })
    .reduce((sum, amount) => sum + amount, 0n)
}

describe('the lines of a price', () => {
  it('name tokens in and the ceiling of tokens out', () => {
    const price = priced(quoteText('gm-2.5-pro', { inputTokens: 1_234, maxTokens: 4_096 }))
    expect(priceLines(price)).toEqual([
      { item: 'estimated_input', quantity: '1234', unit: 'token', unit_price_usd: '0.00000125', amount_usd: '0.0015425' },
      { item: 'output_ceiling', quantity: '4096', unit: 'token', unit_price_usd: '0.00001', amount_usd: '0.04096' },
    ])
    expect(price.amountAtomic).toBe(parseUsdc('0.042503'))
  })

  it('say what the minimum price adds', () => {
    expect(priceLines(priced(quoteText('gm-2.5-flash-lite', { inputTokens: 10, maxTokens: 10 })))).toEqual([
      { item: 'estimated_input', quantity: '10', unit: 'token', unit_price_usd: '0.0000001', amount_usd: '0.000001' },
      { item: 'output_ceiling', quantity: '10', unit: 'token', unit_price_usd: '0.0000004', amount_usd: '0.000004' },
      { item: 'up_to_minimum_price', quantity: '1', unit: 'request', unit_price_usd: '0.001995', amount_usd: '0.001995' },
    ])
  })

  it('are one image, or the characters of a speech', () => {
    expect(priceLines(quoteImage().price)).toEqual([
      { item: 'image', quantity: '1', unit: 'image', unit_price_usd: '0.035', amount_usd: '0.035' },
    ])
    expect(priceLines(quoteSpeech({ characters: 2_000 }).price)).toEqual([
      { item: 'input_characters', quantity: '2000', unit: 'character', unit_price_usd: '0.0002205', amount_usd: '0.441' },
    ])
  })

  it('are a base price and seconds of audio', () => {
    expect(priceLines(quoteTranscription({ durationMs: 999 }).price)).toEqual([
      { item: 'base_price', quantity: '1', unit: 'request', unit_price_usd: '0.005', amount_usd: '0.005' },
      { item: 'audio', quantity: '1', unit: 'second', unit_price_usd: '0.000033333334', amount_usd: '0.000033333334' },
    ])
  })

  it.each([1, 7, 99, 1_000, 65_536])('add up to the price before it is rounded up (%d tokens)', (tokens) => {
    for (const model of ['gm-2.5-flash', 'gm-3.6-flash', 'gm-2.5-pro'] as const) {
      const price = priced(quoteText(model, { inputTokens: tokens, maxTokens: tokens }))
      const rounded = (sumOf(price) + 999_999n) / 1_000_000n
      expect(rounded).toBe(price.amountAtomic)
    }
  })
})
