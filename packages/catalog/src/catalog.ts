import { INPUT_TOKEN_ESTIMATE } from '@turnpike/client'
import { canonical, MAX_PROMPT_CHARACTERS, type Model, sha256Hex } from '@turnpike/contracts'
import {
  CATEGORY_DATA,
  type CategoryData,
  CONTEXT_TOKENS,
  IMAGE,
  MAX_OUTPUT_TOKENS,
  OUTPUT_RESERVE_BASIS_POINTS,
  SPEECH,
  TRANSCRIPTION,
} from './models.ts'
import { prices as currentPrices } from './price-book.ts'
import { voiceList } from './voice-list.ts'

export type Catalog = {
  version: string
  /** Response of GET /v1/models. */
  models: object
  /** Response of GET /v1/pricing. */
  pricing: object
  /** Response of GET /v1/audio/voices. */
  voices: object
  offers(model: string): model is Model
  offered: readonly Model[]
  /** Whether any model is offered at this path. */
  offersEndpoint(path: string): boolean
}

/** The catalog of an operator who has enabled these models, for these endpoints. Pure: the same input gives the same version. */
export function catalogOf(enabled: readonly Model[], endpoints: readonly string[]): Catalog {
  const offered = new Set<string>(enabled)
  const { date, serviceFeeBasisPoints } = currentPrices()
  const categories = CATEGORY_DATA.map((category) => ({
    ...category,
    models: category.models.filter((model) => offered.has(model)),
    endpoints: category.endpoints.filter((endpoint) => endpoints.includes(endpoint.path)),
  })).filter((category) => category.models.length > 0 && category.endpoints.length > 0)

  const modelCategories = categories.map(({ id, label, description, endpoints: paths, models }) => ({
    id,
    object: 'model_category',
    label,
    description,
    status: 'available',
    endpoints: paths.map(({ path, compatibility }) => ({ method: 'POST', path, compatibility })),
    model_ids: models,
  }))
  const data = categories.flatMap((category) => category.models.map((model) => modelEntry(category, model)))
  const prices = categories.flatMap((category) => category.models.map((model) => pricingEntry(category, model)))
  const promotion = serviceFeeBasisPoints === 0 ? 'Zero service fee' : null
  const voices = voiceList(categories.find((category) => category.id === 'text_to_speech')?.models ?? [])
  const version = `${date}.${sha256Hex(canonical({ modelCategories, data, prices, promotion, fee: serviceFeeBasisPoints, voices })).slice(0, 8)}`

  return {
    version,
    models: { object: 'list', catalog_version: version, categories: modelCategories, data },
    pricing: {
      object: 'pricing_catalog',
      catalog_version: version,
      service_fee_basis_points: serviceFeeBasisPoints,
      promotion,
      data: prices,
    },
    voices,
    offers: (model): model is Model => data.some((entry) => entry.id === model),
    offered: data.map(({ id }) => id),
    offersEndpoint: (path) => categories.some((category) => category.endpoints.some((endpoint) => endpoint.path === path)),
  }
}

function modelEntry(category: CategoryData, model: Model) {
  return {
    id: model,
    object: 'model',
    category: category.id,
    input_modalities: category.inputModalities,
    output_modalities: category.outputModalities,
    supported_endpoints: category.endpoints.map((endpoint) => endpoint.path),
    ...limitsOf(category),
  }
}

function limitsOf(category: CategoryData): Record<string, unknown> {
  switch (category.id) {
    case 'text_generation':
      return { context_tokens: CONTEXT_TOKENS, max_output_tokens: MAX_OUTPUT_TOKENS }
    case 'image_generation':
      return { maximum_prompt_characters: MAX_PROMPT_CHARACTERS, image_sizes: [IMAGE.size], aspect_ratios: [IMAGE.aspectRatio] }
    case 'text_to_speech':
      return { maximum_characters: SPEECH.maximumCharacters }
    case 'speech_to_text':
      return {
        maximum_audio_duration_ms: String(TRANSCRIPTION.maximumDurationMs),
        maximum_audio_bytes: TRANSCRIPTION.maximumBytes,
      }
  }
}

function pricingEntry(category: CategoryData, model: Model): Record<string, unknown> {
  const entry = { model, category: category.id, currency: 'USD' }
  const book = currentPrices()
  switch (category.id) {
    case 'text_generation': {
      const { input, output, tier } = book.text[model as keyof typeof book.text]
      return {
        ...entry,
        billing_mode: 'fixed_request_estimate',
        input_per_million_tokens: input,
        output_per_million_tokens: output,
        output_reserve_basis_points: OUTPUT_RESERVE_BASIS_POINTS,
        minimum_price_usd: book.minimumUsd,
        input_token_estimate: INPUT_TOKEN_ESTIMATE,
        ...limitsOf(category),
        ...(tier === undefined
          ? {}
          : {
              tiers: [
                {
                  above_input_tokens: tier.aboveInputTokens,
                  input_per_million_tokens: tier.input,
                  output_per_million_tokens: tier.output,
                },
              ],
            }),
      }
    }
    case 'image_generation':
      return {
        ...entry,
        billing_mode: 'per_image_specification',
        size: IMAGE.size,
        price_per_successful_image_usd: book.imageUsd,
        response_formats: IMAGE.responseFormats,
        default_response_format: IMAGE.responseFormats[0],
        url_retention_hours: IMAGE.retentionHours,
      }
    case 'text_to_speech':
      return {
        ...entry,
        billing_mode: 'fixed_request_characters',
        price_per_thousand_characters_usd: book.speechPerThousandCharactersUsd,
        minimum_price_usd: book.minimumUsd,
        maximum_characters: SPEECH.maximumCharacters,
        response_formats: SPEECH.responseFormats,
        default_response_format: SPEECH.responseFormats[0],
        default_voice: SPEECH.defaultVoice,
        url_retention_hours: SPEECH.retentionHours,
      }
    case 'speech_to_text':
      return {
        ...entry,
        billing_mode: 'fixed_request_audio_duration',
        price_per_audio_hour_usd: book.transcriptionPerAudioHourUsd,
        base_price_usd: book.transcriptionBaseUsd,
        maximum_audio_duration_ms: String(TRANSCRIPTION.maximumDurationMs),
        maximum_audio_bytes: TRANSCRIPTION.maximumBytes,
        accepted_formats: TRANSCRIPTION.acceptedFormats,
        response_formats: TRANSCRIPTION.responseFormats,
        default_response_format: TRANSCRIPTION.responseFormats[0],
      }
  }
}
