import { prices } from './price-book.ts'
import { chargeOf, type PricedRequest } from './quote.ts'
import { fromDecimal, multiply, rational } from './rational.ts'

/** characters × rate / 1000, at least the minimum, rounded up once. Characters are code points. */
export function quoteSpeech(request: { characters: number }): { ok: true; price: PricedRequest } {
  const usd = multiply(rational(request.characters, 1_000), fromDecimal(prices().speechPerThousandCharactersUsd))
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(usd),
      inputs: {
        billing_mode: 'fixed_request_characters',
        characters: request.characters,
        price_per_thousand_characters_usd: prices().speechPerThousandCharactersUsd,
        service_fee_basis_points: prices().serviceFeeBasisPoints,
        minimum_usd: prices().minimumUsd,
      },
    },
  }
}
