import Type from 'typebox'
import { PAID_ENDPOINTS } from '../../models.ts'

const Requirements = Type.Object(
  {
    scheme: Type.Literal('exact'),
    network: Type.Literal('eip155:8453'),
    amount: Type.String({ pattern: '^\\d+$', description: 'Atomic USDC.' }),
    asset: Type.String(),
    payTo: Type.String(),
    maxTimeoutSeconds: Type.Integer(),
    extra: Type.Object({ name: Type.String(), version: Type.String() }),
  },
  { description: 'One entry of `accepts` of an x402 v2 challenge.' },
)

/** POST /v1/quote, the request. */
export const QuoteRequest = Type.Object(
  {
    endpoint: Type.Enum([...PAID_ENDPOINTS]),
    request: Type.Unknown({
      description:
        'The body as it would be sent to the endpoint. A transcription may give audio_duration_ms instead of the audio.',
    }),
  },
  { additionalProperties: false },
)

/** POST /v1/quote. `lines` add up to the amount before it is rounded up, once, to one atomic unit. */
export const Quote = Type.Object({
  object: Type.Literal('quote'),
  endpoint: Type.Enum([...PAID_ENDPOINTS]),
  model: Type.String(),
  price: Type.Object({
    amount: Type.String(),
    amount_atomic: Type.String({ pattern: '^\\d+$' }),
    currency: Type.Literal('USDC'),
    lines: Type.Array(
      Type.Object({
        item: Type.String(),
        quantity: Type.String(),
        unit: Type.String(),
        unit_price_usd: Type.String(),
        amount_usd: Type.String(),
      }),
    ),
  }),
  payment_requirements: Requirements,
  catalog_version: Type.String(),
})

/** GET /.well-known/x402. */
export const X402Document = Type.Object({
  version: Type.Literal(1),
  x402Version: Type.Integer({ const: 2 }),
  resources: Type.Array(Type.String({ format: 'uri' })),
  items: Type.Array(
    Type.Object({
      resource: Type.String({ format: 'uri' }),
      method: Type.Literal('POST'),
      description: Type.String(),
      minimum_price_usd: Type.String(),
      accepts: Type.Array(Requirements),
    }),
  ),
  instructions: Type.String(),
  openapi: Type.String({ format: 'uri' }),
})

/** GET /.well-known/jwks.json. */
export const JsonWebKeySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), kid: Type.String(), x: Type.String() })),
})

/** GET /openapi.json. */
export const OpenApiDocument = Type.Object({ openapi: Type.Literal('3.1.0'), info: Type.Object({ version: Type.String() }) })

export const Health = Type.Object({ status: Type.Literal('ok') })
export const Readiness = Type.Object({
  ready: Type.Boolean(),
  dependencies: Type.Record(Type.String(), Type.Enum(['up', 'down'])),
})
