import Type from 'typebox'
import { CATEGORIES, MODELS, PAID_ENDPOINTS, SPEECH_MODELS } from '../../models.ts'
import { VOICE_ALIASES } from '../voices.ts'

const ModelId = Type.Enum([...MODELS])
const CategoryId = Type.Enum([...CATEGORIES])
const CatalogVersion = Type.String({ description: 'Changes when and only when the catalog does.' })
const Modality = Type.Enum(['text', 'image', 'video', 'audio'])

const ModelCategory = Type.Object({
  id: CategoryId,
  object: Type.Literal('model_category'),
  label: Type.String(),
  description: Type.String(),
  status: Type.Literal('available'),
  endpoints: Type.Array(
    Type.Object({ method: Type.Literal('POST'), path: Type.Enum([...PAID_ENDPOINTS]), compatibility: Type.String() }),
  ),
  model_ids: Type.Array(ModelId),
})
const ModelEntry = Type.Object({
  id: ModelId,
  object: Type.Literal('model'),
  category: CategoryId,
  input_modalities: Type.Array(Modality),
  output_modalities: Type.Array(Modality),
  supported_endpoints: Type.Array(Type.Enum([...PAID_ENDPOINTS])),
})

/** GET /v1/models. Models and their entries may carry more, such as limits. */
export const ModelCatalog = Type.Object({
  object: Type.Literal('list'),
  catalog_version: CatalogVersion,
  categories: Type.Array(ModelCategory),
  data: Type.Array(ModelEntry),
})

const optional = { text: Type.Optional(Type.String()), whole: Type.Optional(Type.Integer()) }
const PricingEntry = Type.Object({
  model: ModelId,
  category: CategoryId,
  currency: Type.Literal('USD'),
  billing_mode: Type.Enum([
    'fixed_request_estimate',
    'per_image_specification',
    'fixed_request_characters',
    'fixed_request_audio_duration',
  ]),
  input_per_million_tokens: optional.text,
  output_per_million_tokens: optional.text,
  output_reserve_basis_points: optional.whole,
  size: optional.text,
  price_per_successful_image_usd: optional.text,
  price_per_thousand_characters_usd: optional.text,
  maximum_characters: optional.whole,
  response_formats: Type.Optional(Type.Array(Type.String())),
  default_response_format: optional.text,
  default_voice: optional.text,
  url_retention_hours: optional.whole,
  price_per_audio_hour_usd: optional.text,
  maximum_audio_duration_ms: optional.text,
  maximum_audio_bytes: optional.whole,
  accepted_formats: Type.Optional(Type.Array(Type.String())),
})

/** GET /v1/pricing. Entries may carry more, such as the rule of the input-token estimate. */
export const PricingCatalog = Type.Object({
  object: Type.Literal('pricing_catalog'),
  catalog_version: CatalogVersion,
  service_fee_basis_points: Type.Integer({ minimum: 0 }),
  promotion: Type.Union([Type.String(), Type.Null()]),
  data: Type.Array(PricingEntry),
})

/** GET /v1/audio/voices. */
export const VoiceList = Type.Object({
  object: Type.Literal('list'),
  defaults: Type.Record(Type.Enum([...SPEECH_MODELS]), Type.Enum([...VOICE_ALIASES])),
  data: Type.Array(
    Type.Object(
      {
        id: Type.Enum([...VOICE_ALIASES]),
        name: Type.String(),
        description: Type.String(),
        provider: Type.String(),
        languages: Type.Array(Type.String()),
        models: Type.Array(Type.String()),
        default_for_models: Type.Array(Type.Enum([...SPEECH_MODELS])),
        retirement_date: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
      },
      { additionalProperties: false },
    ),
  ),
})

/** GET /v1/balance. */
export const WalletBalance = Type.Object({
  object: Type.Literal('wallet_balance'),
  network: Type.Literal('eip155:8453'),
  asset: Type.Literal('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  currency: Type.Literal('USDC'),
  wallet: Type.String(),
  balance_usdc_atomic: Type.String({ pattern: '^\\d+$' }),
  balance_usdc: Type.String(),
})
