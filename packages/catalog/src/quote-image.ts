import { IMAGE } from './models.ts'
import { prices } from './price-book.ts'
import { chargeOf, type PricedRequest } from './quote.ts'
import { fromDecimal } from './rational.ts'

/** One image of the one specification that is sold. */
export function quoteImage(): { ok: true; price: PricedRequest } {
  return {
    ok: true,
    price: {
      amountAtomic: chargeOf(fromDecimal(prices().imageUsd)),
      inputs: {
        billing_mode: 'per_image_specification',
        image_size: IMAGE.size,
        aspect_ratio: IMAGE.aspectRatio,
        images: 1,
        price_per_successful_image_usd: prices().imageUsd,
        service_fee_basis_points: prices().serviceFeeBasisPoints,
        minimum_usd: prices().minimumUsd,
      },
    },
  }
}
