import { parseUsdc, TEXT_MODELS, type TextModel } from '@turnpike/contracts'
import { CONTEXT_TOKENS, MAX_OUTPUT_TOKENS, OUTPUT_RESERVE_BASIS_POINTS } from './models.ts'
import { prices } from './price-book.ts'
import { add, fromDecimal, multiply, type Rational, rational, roundUp } from './rational.ts'

/** A price, and what it was computed from as it will stand on the receipt. */
export type PricedRequest = { amountAtomic: bigint; inputs: Record<string, string | number> }
export type QuoteResult =
  | { ok: true; price: PricedRequest }
  | { ok: false; code: 'context_length_exceeded'; inputTokens: number; limit: number }

const readRates = new Map<string, Rational>()
const ATOMIC_PER_USD = rational(1_000_000)
const PER_MILLION = rational(1, 1_000_000)

/** input_tokens × input rate + ceil(max_tokens × reserve) × output rate, at least the minimum, rounded up once. */
export function quoteText(model: TextModel, request: { inputTokens: number; maxTokens: number }): QuoteResult {
  if (request.inputTokens > CONTEXT_TOKENS) {
    return { ok: false, code: 'context_length_exceeded', inputTokens: request.inputTokens, limit: CONTEXT_TOKENS }
  }
  const rates = textRatesFor(model, request.inputTokens)
  const outputTokens = roundUp(rational(BigInt(request.maxTokens) * BigInt(OUTPUT_RESERVE_BASIS_POINTS), 10_000))
  const usd = multiply(
    add(multiply(rational(request.inputTokens), rateOf(rates.input)), multiply(rational(outputTokens), rateOf(rates.output))),
    PER_MILLION,
  )
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(usd),
      inputs: {
        billing_mode: 'fixed_request_estimate',
        input_tokens: request.inputTokens,
        max_tokens: request.maxTokens,
        input_per_million_tokens: rates.input,
        output_per_million_tokens: rates.output,
        output_reserve_basis_points: OUTPUT_RESERVE_BASIS_POINTS,
        service_fee_basis_points: prices().serviceFeeBasisPoints,
        minimum_usd: prices().minimumUsd,
      },
    },
  }
}

/** The whole context in and the largest ceiling out, at the dearest model. */
export function maximumTextPriceAtomic(): bigint {
  return TEXT_MODELS.map((model) => {
    const quote = quoteText(model, { inputTokens: CONTEXT_TOKENS, maxTokens: MAX_OUTPUT_TOKENS })
    return quote.ok ? quote.price.amountAtomic : 0n
  }).reduce((dearest, amount) => (amount > dearest ? amount : dearest))
}

export function textRatesFor(model: TextModel, inputTokens: number): { input: string; output: string } {
  const { input, output, tier } = prices().text[model]
  return tier !== undefined && inputTokens > tier.aboveInputTokens
    ? { input: tier.input, output: tier.output }
    : { input, output }
}

/** The rates are few and their decimals are read for every request. */
function rateOf(decimal: string): Rational {
  const rate = readRates.get(decimal) ?? fromDecimal(decimal)
  readRates.set(decimal, rate)
  return rate
}

/** A price as it is charged: the fee is applied before the minimum, and it is rounded up to one atomic unit. */
export function chargeOf(usd: Rational): bigint {
  const withFee = multiply(usd, rational(10_000 + prices().serviceFeeBasisPoints, 10_000))
  const amountAtomic = roundUp(multiply(withFee, ATOMIC_PER_USD))
  const least = minimumPriceAtomic()
  return amountAtomic < least ? least : amountAtomic
}

let minimum: { usd: string; atomic: bigint } | undefined

/** Nothing costs less. */
export function minimumPriceAtomic(): bigint {
  const { minimumUsd } = prices()
  if (minimum?.usd !== minimumUsd) {
    const atomic = parseUsdc(minimumUsd)
    if (atomic === undefined) throw new TypeError(`not an amount of USD: ${minimumUsd}`)
    minimum = { usd: minimumUsd, atomic }
  }
  return minimum.atomic
}
