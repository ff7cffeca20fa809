import { prices } from './price-book.ts'
import { chargeOf, type PricedRequest } from './quote.ts'
import { add, fromDecimal, multiply, rational, roundUp } from './rational.ts'

/** base + seconds × rate / 3600, seconds rounded up to a whole one, the amount rounded up once. */
export function quoteTranscription(request: { durationMs: number }): { ok: true; price: PricedRequest } {
  const seconds = roundUp(rational(request.durationMs, 1_000))
  const perSecond = multiply(fromDecimal(prices().transcriptionPerAudioHourUsd), rational(1, 3_600))
  const usd = add(fromDecimal(prices().transcriptionBaseUsd), multiply(rational(seconds), perSecond))
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(usd),
      inputs: {
        billing_mode: 'fixed_request_audio_duration',
        audio_duration_ms: request.durationMs,
        billed_seconds: Number(seconds),
        price_per_audio_hour_usd: prices().transcriptionPerAudioHourUsd,
        base_price_usd: prices().transcriptionBaseUsd,
        service_fee_basis_points: prices().serviceFeeBasisPoints,
      },
    },
  }
}

/** The price of one second, which nothing costs less than. */
export function minimumTranscriptionPriceAtomic(): bigint {
  return quoteTranscription({ durationMs: 1 }).price.amountAtomic
}
