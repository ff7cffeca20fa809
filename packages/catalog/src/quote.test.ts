import { formatUsdc, TEXT_MODELS, type TextModel } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { CONTEXT_TOKENS, MAX_OUTPUT_TOKENS, minimumPriceAtomic, quoteText } from './index.ts'
import { fromDecimal, roundUp } from './rational.ts'

function amountOf(model: TextModel, inputTokens: number, maxTokens: number): bigint {
  const quote = quoteText(model, { inputTokens, maxTokens })
  if (!quote.ok) throw new Error(quote.code)
  return quote.price.amountAtomic
}

/** Atomic USDC per million tokens, straight from the decisions: [input, output]. */
const RATES: Record<TextModel, [bigint, bigint]> = {
  'gm-2.5-flash-lite': [100_000n, 400_000n],
  'gm-2.5-flash': [300_000n, 2_500_000n],
  'gm-2.5-pro': [1_250_000n, 10_000_000n],
  'gm-3.1-flash-lite': [250_000n, 1_500_000n],
  'gm-3.5-flash-lite': [300_000n, 2_500_000n],
  'gm-3.5-flash': [1_500_000n, 9_000_000n],
  'gm-3.6-flash': [1_500_000n, 9_000_000n],
}

function ceilPerMillion(amount: bigint): bigint {
  return (amount + 999_999n) / 1_000_000n
}

describe('the price of a text request', () => {
  it('is 0.002 at least, and no less than the minimum for the smallest request of any model', () => {
    expect(formatUsdc(minimumPriceAtomic())).toBe('0.002')
    for (const model of TEXT_MODELS) expect(amountOf(model, 0, 1), model).toBe(2_000n)
  })

  it.each(TEXT_MODELS)('of %s is tokens times rates to the atomic unit, rounded up once', (model) => {
    const [input, output] = RATES[model]
    for (const [inputTokens, maxTokens] of [
      [1, 1],
      [17, 512],
      [1_001, 4_095],
      [33_333, 65_535],
      [199_999, 65_536],
      [200_000, 1],
    ] as const) {
      const exact = ceilPerMillion(BigInt(inputTokens) * input + BigInt(maxTokens) * output)
      expect(amountOf(model, inputTokens, maxTokens), `${inputTokens}/${maxTokens}`).toBe(exact < 2_000n ? 2_000n : exact)
    }
  })

  it('does not round input and output by themselves', () => {
    // 100,001 × 0.10 is 10,000.1 atomic, 4,001 × 0.40 is 1,600.4: 11,600.5 together is 11,601; rounded apart it would be 11,602.
    expect(amountOf('gm-2.5-flash-lite', 100_001, 4_001)).toBe(11_601n)
  })

  it('takes one atomic unit more for whatever lies above the minimum', () => {
    // 0.40 per million: 5,000 tokens are 2,000 atomic exactly, one more is 2,000.4.
    expect(amountOf('gm-2.5-flash-lite', 0, 5_000)).toBe(2_000n)
    expect(amountOf('gm-2.5-flash-lite', 0, 5_001)).toBe(2_001n)
  })

  it('uses the second tier of gm-2.5-pro for the whole request past 200,000 tokens, and for no other model', () => {
    expect(amountOf('gm-2.5-pro', 200_000, 1_000)).toBe(260_000n)
    expect(amountOf('gm-2.5-pro', 200_001, 1_000)).toBe(515_003n) // 200,001 × 2.50 + 1,000 × 15 = 515,002.5
    expect(amountOf('gm-2.5-flash', 200_001, 1_000)).toBe(62_501n)
  })

  it('never falls when the input or the ceiling grows', () => {
    for (const model of TEXT_MODELS) {
      let last = 0n
      for (let inputTokens = 0; inputTokens <= CONTEXT_TOKENS; inputTokens += 9_973) {
        const amount = amountOf(model, inputTokens, 512)
        expect(amount, `${model} ${inputTokens}`).toBeGreaterThanOrEqual(last)
        last = amount
      }
      last = 0n
      for (let maxTokens = 1; maxTokens <= MAX_OUTPUT_TOKENS; maxTokens += 997) {
        const amount = amountOf(model, 10, maxTokens)
        expect(amount, `${model} ${maxTokens}`).toBeGreaterThanOrEqual(last)
        last = amount
      }
    }
  })

  it('ends at the context, inclusive', () => {
    expect(quoteText('gm-2.5-flash', { inputTokens: 1_048_576, maxTokens: 1 }).ok).toBe(true)
    expect(quoteText('gm-2.5-flash', { inputTokens: 1_048_577, maxTokens: 1 })).toEqual({
      ok: false,
      code: 'context_length_exceeded',
      inputTokens: 1_048_577,
      limit: 1_048_576,
    })
  })

  it('says what it was computed from, in strings and integers that a receipt can hold', () => {
    const quote = quoteText('gm-2.5-pro', { inputTokens: 300_000, maxTokens: 100 })
    expect(quote).toMatchObject({
      ok: true,
      price: {
        inputs: {
          billing_mode: 'fixed_request_estimate',
          input_tokens: 300_000,
          max_tokens: 100,
          input_per_million_tokens: '2.50',
          output_per_million_tokens: '15',
          output_reserve_basis_points: 10_000,
          service_fee_basis_points: 0,
          minimum_usd: '0.002',
        },
      },
    })
    for (const value of Object.values(quote.ok ? quote.price.inputs : {})) {
      expect(typeof value === 'string' || Number.isSafeInteger(value)).toBe(true)
    }
  })
})

describe('rationals', () => {
  it('read decimals exactly and refuse everything else', () => {
    expect(fromDecimal('0.30')).toEqual({ numerator: 30n, denominator: 100n })
    expect(fromDecimal('9')).toEqual({ numerator: 9n, denominator: 1n })
    for (const text of ['', '.5', '5.', '-1', '1e3', '1,5', ' 1', '1\n', '0x1', 'NaN'])
      expect(() => fromDecimal(text), text).toThrow(TypeError)
  })

  it('round up only what is not whole', () => {
    expect(roundUp({ numerator: 10n, denominator: 5n })).toBe(2n)
    expect(roundUp({ numerator: 11n, denominator: 5n })).toBe(3n)
    expect(roundUp({ numerator: 0n, denominator: 5n })).toBe(0n)
    expect(roundUp({ numerator: 1n, denominator: 10n ** 30n })).toBe(1n)
  })
})
