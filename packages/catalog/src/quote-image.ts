import { IMAGE, MINIMUM_PRICE_USD, SERVICE_FEE_BASIS_POINTS } from './models.ts'
import { chargeOf, type PricedRequest } from './quote.ts'
import { fromDecimal } from './rational.ts'

/** One image of the one specification that is sold. */
export function quoteImage(): { ok: true; price: PricedRequest } {
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(fromDecimal(IMAGE.priceUsd)),
      inputs: {
        billing_mode: 'per_image_specification',
        image_size: IMAGE.size,
        aspect_ratio: IMAGE.aspectRatio,
        images: 1,
        price_per_successful_image_usd: IMAGE.priceUsd,
        service_fee_basis_points: SERVICE_FEE_BASIS_POINTS,
        minimum_usd: MINIMUM_PRICE_USD,
      },
    },
  }
}
