import { compile, PriceList, parseUsdc, TEXT_MODELS, type TextPriceList } from '@turnpike/contracts'
import { type PriceBook, PUBLISHED_PRICES, type TextRates } from './price-book.ts'

const validate = compile(PriceList)

/** Reads an operator's price list, JSON text, over the published prices. Throws an Error that says what is wrong with it. */
export function readPriceList(text: string, published: PriceBook = PUBLISHED_PRICES): PriceBook {
  const checked = validate(jsonOf(text))
  if (!checked.ok) {
    const [problem] = checked.problems
    const message = problem?.keyword === 'additionalProperties' ? 'is not a member of a price list' : problem?.message
    throw new Error(`${problem?.path || 'the price list'}: ${message ?? 'not as agreed'}`)
  }
  const list = checked.value
  const minimumUsd = list.minimum_price_usd ?? published.minimumUsd
  // A free answer would need no payment, and there is no way to give one.
  if ((parseUsdc(minimumUsd) ?? 0n) < 1n) {
    throw new Error('minimum_price_usd must be a whole number of millionths of a USD, and at least one')
  }
  const own = (list.text_generation ?? {}) as Partial<Record<string, TextPriceList>>
  const rates = TEXT_MODELS.map((model) => [model, ratesOf(own[model], published.text[model])] as const)
  return {
    date: list.date,
    serviceFeeBasisPoints: list.service_fee_basis_points ?? published.serviceFeeBasisPoints,
    minimumUsd,
    text: Object.fromEntries(rates) as PriceBook['text'],
    imageUsd: list.image_generation?.price_per_successful_image_usd ?? published.imageUsd,
    speechPerThousandCharactersUsd:
      list.text_to_speech?.price_per_thousand_characters_usd ?? published.speechPerThousandCharactersUsd,
    transcriptionPerAudioHourUsd: list.speech_to_text?.price_per_audio_hour_usd ?? published.transcriptionPerAudioHourUsd,
    transcriptionBaseUsd: list.speech_to_text?.base_price_usd ?? published.transcriptionBaseUsd,
  }
}

/** A model that is named has the tiers that are named with it, or none. */
function ratesOf(own: TextPriceList | undefined, published: TextRates): TextRates {
  if (own === undefined) return published
  const [tier] = own.tiers ?? []
  return {
    input: own.input_per_million_tokens,
    output: own.output_per_million_tokens,
    ...(tier === undefined
      ? {}
      : {
          tier: {
            aboveInputTokens: tier.above_input_tokens,
            input: tier.input_per_million_tokens,
            output: tier.output_per_million_tokens,
          },
        }),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the price list is not JSON')
  }
}
