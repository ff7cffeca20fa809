import { CATEGORIES, MODELS, type Model, PAID_ENDPOINTS, TEXT_MODELS, VOICE_ALIASES } from '@turnpike/contracts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { catalogOf, type PriceBook, PUBLISHED_PRICES, usePrices, VOICES } from './index.ts'

type Listed = { categories: Record<string, unknown>[]; data: Record<string, unknown>[]; catalog_version: string; object: string }
type Priced = {
  data: Record<string, unknown>[]
  catalog_version: string
  service_fee_basis_points: number
  promotion: string | null
  object: string
}

function versionAt(book: PriceBook): string {
  usePrices(book)
  try {
    return catalogOf(MODELS, PAID_ENDPOINTS).version
  } finally {
    usePrices(PUBLISHED_PRICES)
  }
}

const all = catalogOf(MODELS, PAID_ENDPOINTS)
const models = all.models as Listed
const pricing = all.pricing as Priced

/** The entry fields of the interface's table, with their types. */
const PRICING_FIELDS: Record<string, (value: unknown) => boolean> = {
  model: (value) => (MODELS as readonly unknown[]).includes(value),
  category: (value) => (CATEGORIES as readonly unknown[]).includes(value),
  currency: (value) => value === 'USD',
  billing_mode: (value) =>
    ['fixed_request_estimate', 'per_image_specification', 'fixed_request_characters', 'fixed_request_audio_duration'].includes(
      String(value),
    ),
  input_per_million_tokens: isDecimal,
  output_per_million_tokens: isDecimal,
  output_reserve_basis_points: Number.isInteger,
  size: isText,
  price_per_successful_image_usd: isDecimal,
  price_per_thousand_characters_usd: isDecimal,
  maximum_characters: Number.isInteger,
  response_formats: isTexts,
  default_response_format: isText,
  default_voice: isText,
  url_retention_hours: Number.isInteger,
  price_per_audio_hour_usd: isDecimal,
  maximum_audio_duration_ms: (value) => typeof value === 'string' && /^\d+$/.test(value),
  maximum_audio_bytes: Number.isInteger,
  accepted_formats: isTexts,
}
const REQUIRED_PRICING_FIELDS = ['model', 'category', 'currency', 'billing_mode']

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
}

function entryOf(model: Model): Record<string, unknown> {
  const entry = pricing.data.find((candidate) => candidate.model === model)
  if (entry === undefined) throw new Error(`no price for ${model}`)
  return entry
}

describe('the model catalog', () => {
  it('lists every category and model of the interface once, with its endpoints and modalities', () => {
    expect(models.object).toBe('list')
    expect(models.categories.map(({ id }) => id)).toEqual([...CATEGORIES])
    expect(models.data.map(({ id }) => id)).toEqual([...MODELS])
    for (const category of models.categories) {
      expect(category).toMatchObject({
        object: 'model_category',
        status: 'available',
        label: expect.any(String),
        description: expect.any(String),
      })
      expect(category.model_ids).toEqual(models.data.filter((model) => model.category === category.id).map(({ id }) => id))
      for (const endpoint of category.endpoints as Record<string, unknown>[]) {
        expect(endpoint).toEqual({ method: 'POST', path: expect.stringMatching(/^\/v1\//), compatibility: expect.any(String) })
      }
    }
    for (const model of models.data) {
      expect(model.object).toBe('model')
      for (const side of ['input_modalities', 'output_modalities']) {
        expect(model[side]).toSatisfy(
          (value: string[]) => value.length > 0 && value.every((each) => ['text', 'image', 'video', 'audio'].includes(each)),
        )
      }
    }
    expect(models.data.find(({ id }) => id === 'gm-2.5-pro')).toMatchObject({
      supported_endpoints: ['/v1/chat/completions', '/v1/messages'],
      context_tokens: 1_048_576,
      max_output_tokens: 65_536,
    })
  })

  it('leaves out a category without an enabled model, and a model that is switched off', () => {
    const some = catalogOf(['gm-2.5-flash', 'el/scribe-v2'], PAID_ENDPOINTS)
    expect((some.models as Listed).categories.map(({ id }) => id)).toEqual(['text_generation', 'speech_to_text'])
    expect((some.models as Listed).data.map(({ id }) => id)).toEqual(['gm-2.5-flash', 'el/scribe-v2'])
    expect((some.pricing as Priced).data.map(({ model }) => model)).toEqual(['gm-2.5-flash', 'el/scribe-v2'])
    expect(some.offers('gm-2.5-flash')).toBe(true)
    expect(some.offers('gm-2.5-pro')).toBe(false)
    expect(JSON.stringify(some)).not.toContain('gm-2.5-pro')
  })

  it('leaves out what no endpoint serves', () => {
    const chatOnly = catalogOf(MODELS, ['/v1/chat/completions'])
    expect((chatOnly.models as Listed).categories.map(({ id }) => id)).toEqual(['text_generation'])
    expect((chatOnly.models as Listed).data.map(({ supported_endpoints }) => supported_endpoints)).toEqual(
      TEXT_MODELS.map(() => ['/v1/chat/completions']),
    )
    expect(chatOnly.offers('el/flash-v2.5')).toBe(false)
    expect(catalogOf([], PAID_ENDPOINTS).models).toMatchObject({ categories: [], data: [] })
  })

  it('does not offer what objects inherit', () => {
    for (const name of ['constructor', '__proto__', 'toString', '']) expect(all.offers(name)).toBe(false)
  })
})

describe('the pricing catalog', () => {
  it('has the fields of the interface, with their types', () => {
    expect(pricing).toMatchObject({ object: 'pricing_catalog', service_fee_basis_points: 0, promotion: 'Zero service fee' })
    expect(pricing.catalog_version).toBe(models.catalog_version)
    for (const entry of pricing.data) {
      for (const field of REQUIRED_PRICING_FIELDS) expect(entry, String(entry.model)).toHaveProperty(field)
      for (const [field, value] of Object.entries(entry)) {
        const isRight = PRICING_FIELDS[field]
        if (isRight !== undefined) expect(isRight(value), `${entry.model} ${field} ${JSON.stringify(value)}`).toBe(true)
      }
    }
  })

  it('publishes the prices and limits of the decisions', () => {
    expect(entryOf('gm-2.5-pro')).toMatchObject({
      category: 'text_generation',
      billing_mode: 'fixed_request_estimate',
      input_per_million_tokens: '1.25',
      output_per_million_tokens: '10',
      output_reserve_basis_points: 10_000,
      tiers: [{ above_input_tokens: 200_000, input_per_million_tokens: '2.50', output_per_million_tokens: '15' }],
      input_token_estimate: {
        version: 2,
        unit: 'tokens',
        tables: { path: expect.stringMatching(/^\/v1\/pricing\/input-token-tables\/[0-9a-f]{64}$/) },
      },
    })
    expect(entryOf('gm-2.5-flash')).not.toHaveProperty('tiers')
    expect(entryOf('gm-3.1-flash-lite-image')).toMatchObject({
      billing_mode: 'per_image_specification',
      size: '1K',
      price_per_successful_image_usd: '0.035',
      url_retention_hours: 168,
    })
    expect(entryOf('el/flash-v2.5')).toMatchObject({
      billing_mode: 'fixed_request_characters',
      price_per_thousand_characters_usd: '0.2205',
      maximum_characters: 2000,
      default_voice: 'darian',
      default_response_format: 'mp3',
      url_retention_hours: 24,
    })
    expect(entryOf('el/scribe-v2')).toMatchObject({
      billing_mode: 'fixed_request_audio_duration',
      price_per_audio_hour_usd: '0.12',
      maximum_audio_duration_ms: '3510000',
      maximum_audio_bytes: 26_214_400,
      accepted_formats: ['mp3'],
    })
  })

  it('knows the twenty voices, the default first', () => {
    expect(VOICE_ALIASES).toHaveLength(20)
    expect(new Set(VOICE_ALIASES).size).toBe(20)
    expect(VOICE_ALIASES[0]).toBe(entryOf('el/flash-v2.5').default_voice)
    expect(VOICES.map(({ id }) => id)).toEqual([...VOICE_ALIASES])
  })
})

describe('the catalog version', () => {
  afterEach(() => {
    vi.resetModules()
    vi.doUnmock('./models.ts')
    vi.doUnmock('./voices.ts')
  })

  /** The version of a catalog whose data differs as an edit of its file would make it. */
  async function versionWith(
    file: './models.ts' | './voices.ts',
    edit: (data: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<string> {
    vi.resetModules()
    vi.doMock(file, async (original) => ({
      ...(await original<Record<string, unknown>>()),
      ...edit(await original<Record<string, unknown>>()),
    }))
    const edited = await import('./catalog.ts')
    const { version } = edited.catalogOf(MODELS, PAID_ENDPOINTS)
    vi.doUnmock(file)
    return version
  }

  it('is a date and eight hex digits', () => {
    expect(all.version).toMatch(/^\d{4}-\d{2}-\d{2}\.[0-9a-f]{8}$/)
  })

  it('is the same for the same catalog, in whatever order it was enabled, however often', () => {
    expect(catalogOf(MODELS, PAID_ENDPOINTS).version).toBe(all.version)
    expect(catalogOf([...MODELS].reverse(), [...PAID_ENDPOINTS].reverse()).version).toBe(all.version)
    expect(catalogOf([...MODELS, ...MODELS], PAID_ENDPOINTS).version).toBe(all.version)
  })

  it('is another for every set of models and endpoints', () => {
    const versions = [
      ...MODELS.map(
        (off) =>
          catalogOf(
            MODELS.filter((model) => model !== off),
            PAID_ENDPOINTS,
          ).version,
      ),
      ...PAID_ENDPOINTS.map(
        (off) =>
          catalogOf(
            MODELS,
            PAID_ENDPOINTS.filter((endpoint) => endpoint !== off),
          ).version,
      ),
    ]
    expect(versions).not.toContain(all.version)
    // Without its only endpoint a category is gone, as it is without its only model: three of the sets are one catalog.
    expect(new Set(versions).size).toBe(versions.length - 3)
  })

  it('changes with every price, limit, fee and voice', async () => {
    const versions = [
      versionAt({ ...PUBLISHED_PRICES, text: { ...PUBLISHED_PRICES.text, 'gm-2.5-flash': { input: '0.31', output: '2.50' } } }),
      versionAt({ ...PUBLISHED_PRICES, imageUsd: '0.036' }),
      versionAt({ ...PUBLISHED_PRICES, minimumUsd: '0.003' }),
      await versionWith('./models.ts', () => ({ CONTEXT_TOKENS: 1_000_000 })),
      versionAt({ ...PUBLISHED_PRICES, serviceFeeBasisPoints: 25 }),
      await versionWith('./models.ts', ({ SPEECH }) => ({ SPEECH: { ...(SPEECH as object), defaultVoice: 'bella' } })),
      await versionWith('./models.ts', ({ TRANSCRIPTION }) => ({
        TRANSCRIPTION: { ...(TRANSCRIPTION as object), maximumBytes: 1 },
      })),
      await versionWith('./voices.ts', ({ VOICES: voices }) => ({ VOICES: (voices as object[]).slice(1) })),
      await versionWith('./voices.ts', ({ VOICES: voices }) => ({
        VOICES: (voices as object[]).map((voice) => ({ ...voice, retirementDate: '2027-01-31' })),
      })),
    ]
    expect(versions).not.toContain(all.version)
    expect(new Set(versions).size).toBe(versions.length)
  })

  it('stays when nothing changes', async () => {
    expect(await versionWith('./models.ts', () => ({}))).toBe(all.version)
  })
})
