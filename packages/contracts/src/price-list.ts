import Type, { type Static } from 'typebox'
import { TEXT_MODELS } from './models.ts'

const Decimal = Type.String({ pattern: '^(?:0|[1-9][0-9]{0,5})(?:\\.[0-9]{1,12})?$' })
const closed = { additionalProperties: false }

const TextPrices = Type.Object(
  {
    input_per_million_tokens: Decimal,
    output_per_million_tokens: Decimal,
    tiers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            above_input_tokens: Type.Integer({ minimum: 1 }),
            input_per_million_tokens: Decimal,
            output_per_million_tokens: Decimal,
          },
          closed,
        ),
        { maxItems: 1 },
      ),
    ),
  },
  closed,
)

/**
 * Prices of an operator's own, under the names that they have in GET /v1/pricing. What is left out keeps the price that the product
 * comes with. `date` is the day of the change, for the catalog's version.
 */
export const PriceList = Type.Object(
  {
    date: Type.String({ pattern: '^20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$' }),
    service_fee_basis_points: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    minimum_price_usd: Type.Optional(Decimal),
    text_generation: Type.Optional(
      Type.Object(Object.fromEntries(TEXT_MODELS.map((model) => [model, Type.Optional(TextPrices)])), closed),
    ),
    image_generation: Type.Optional(Type.Object({ price_per_successful_image_usd: Decimal }, closed)),
    text_to_speech: Type.Optional(Type.Object({ price_per_thousand_characters_usd: Decimal }, closed)),
    speech_to_text: Type.Optional(Type.Object({ price_per_audio_hour_usd: Decimal, base_price_usd: Decimal }, closed)),
  },
  closed,
)
export type PriceList = Static<typeof PriceList>
export type TextPriceList = Static<typeof TextPrices>
