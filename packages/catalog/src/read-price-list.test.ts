import { MODELS, PAID_ENDPOINTS } from '@turnpike/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import {
  catalogOf,
  PUBLISHED_PRICES,
  quoteImage,
  quoteSpeech,
  quoteText,
  quoteTranscription,
  readPriceList,
  usePrices,
} from './index.ts'

afterEach(() => usePrices(PUBLISHED_PRICES))

const listOf = (members: object) => JSON.stringify({ date: '2026-12-01', ...members })
const atomicOf = (quote: ReturnType<typeof quoteText>) => (quote.ok ? quote.price.amountAtomic : undefined)

describe('a price list', () => {
  it('changes what it names and nothing else, and the version of the catalog with it', () => {
    const before = catalogOf(MODELS, PAID_ENDPOINTS).version
    usePrices(
      readPriceList(
        listOf({
          text_generation: { 'gm-2.5-flash': { input_per_million_tokens: '0.60', output_per_million_tokens: '5' } },
          image_generation: { price_per_successful_image_usd: '0.05' },
        }),
      ),
    )
    expect(atomicOf(quoteText('gm-2.5-flash', { inputTokens: 100_000, maxTokens: 10_000 }))).toBe(110_000n)
    expect(atomicOf(quoteText('gm-2.5-flash-lite', { inputTokens: 100_000, maxTokens: 10_000 }))).toBe(14_000n)
    expect(quoteImage().price.amountAtomic).toBe(50_000n)
    const { version, pricing } = catalogOf(MODELS, PAID_ENDPOINTS)
    expect([version.slice(0, 11), version === before]).toEqual(['2026-12-01.', false])
    const { data } = pricing as { data: { model: string; input_per_million_tokens?: string }[] }
    expect(data.find(({ model }) => model === 'gm-2.5-flash')).toMatchObject({ input_per_million_tokens: '0.60' })
  })

  it('may have a fee, a minimum and every other price of its own', () => {
    usePrices(
      readPriceList(
        listOf({
          service_fee_basis_points: 500,
          minimum_price_usd: '0.01',
          text_to_speech: { price_per_thousand_characters_usd: '1' },
          speech_to_text: { price_per_audio_hour_usd: '3.6', base_price_usd: '0.1' },
        }),
      ),
    )
    expect(quoteSpeech({ characters: 1 }).price.amountAtomic).toBe(10_000n)
    expect(quoteSpeech({ characters: 1_000 }).price.amountAtomic).toBe(1_050_000n)
    expect(quoteTranscription({ durationMs: 100_000 }).price.amountAtomic).toBe(210_000n)
    expect(catalogOf(MODELS, PAID_ENDPOINTS).pricing).toMatchObject({ service_fee_basis_points: 500, promotion: null })
  })

  it('gives a model the tiers that are named with its rates, or none', () => {
    const rates = { input_per_million_tokens: '1', output_per_million_tokens: '2' }
    const pro = (more: object) =>
      readPriceList(listOf({ text_generation: { 'gm-2.5-pro': { ...rates, ...more } } })).text['gm-2.5-pro']
    expect(pro({})).toEqual({ input: '1', output: '2' })
    expect(pro({ tiers: [{ above_input_tokens: 5, input_per_million_tokens: '3', output_per_million_tokens: '4' }] })).toEqual({
      input: '1',
      output: '2',
      tier: { aboveInputTokens: 5, input: '3', output: '4' },
    })
  })

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['nothing', 'null', 'price list'],
    ['no date', '{}', 'date'],
    ['a day that is none', JSON.stringify({ date: '2026-13-01' }), 'date'],
    [
      'a model of nobody',
      listOf({ text_generation: { 'gpt-5': { input_per_million_tokens: '1', output_per_million_tokens: '1' } } }),
      'text_generation',
    ],
    ['half a price', listOf({ text_generation: { 'gm-2.5-pro': { input_per_million_tokens: '1' } } }), 'gm-2.5-pro'],
    ['a price that is a number', listOf({ image_generation: { price_per_successful_image_usd: 0.05 } }), 'image'],
    ['a price below nothing', listOf({ image_generation: { price_per_successful_image_usd: '-1' } }), 'image'],
    ['a name of its own', listOf({ image: '0.05' }), 'image: is not a member of a price list'],
    ['a minimum of nothing', listOf({ minimum_price_usd: '0' }), 'minimum_price_usd'],
    ['a minimum between two millionths', listOf({ minimum_price_usd: '0.0000015' }), 'minimum_price_usd'],
    ['a fee above the price', listOf({ service_fee_basis_points: 10_001 }), 'service_fee_basis_points'],
  ])('of %s is refused by name', (_what, text, named) => {
    expect(() => readPriceList(text)).toThrow(named)
  })
})
