import { MINIMUM_PRICE_USD, SERVICE_FEE_BASIS_POINTS, SPEECH } from './models.ts'
import { chargeOf, type PricedRequest } from './quote.ts'
import { fromDecimal, multiply, rational } from './rational.ts'

/** characters × rate / 1000, at least the minimum, rounded up once. Characters are code points. */
export function quoteSpeech(request: { characters: number }): { ok: true; price: PricedRequest } {
  const usd = multiply(rational(request.characters, 1_000), fromDecimal(SPEECH.pricePerThousandCharactersUsd))
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(usd),
      inputs: {
        billing_mode: 'fixed_request_characters',
        characters: request.characters,
        price_per_thousand_characters_usd: SPEECH.pricePerThousandCharactersUsd,
        service_fee_basis_points: SERVICE_FEE_BASIS_POINTS,
        minimum_usd: MINIMUM_PRICE_USD,
      },
    },
  }
}
