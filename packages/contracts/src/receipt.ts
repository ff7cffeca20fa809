import Type, { type Static } from 'typebox'
import { Address, Atomic, Endpoint, Nonce, Uuid } from './events/fields.ts'

/** One per settled payment, immutable. `signature` is a detached JWS (EdDSA) over the RFC 8785 form of everything else. */
export const Receipt = Type.Object({
  id: Uuid,
  object: Type.Literal('receipt'),
  /** Seconds since the epoch. */
  created: Type.Integer(),
  request_id: Uuid,
  endpoint: Endpoint,
  model: Type.String(),
  catalog_version: Type.String(),
  price: Type.Object({
    amount_atomic: Atomic,
    amount: Type.String(),
    currency: Type.Literal('USDC'),
    inputs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()])),
  }),
  payment: Type.Object({
    network: Type.Literal('eip155:8453'),
    asset: Type.String(),
    payer: Address,
    pay_to: Address,
    nonce: Nonce,
    transaction: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  }),
  /** What the provider reported. */
  usage: Type.Record(Type.String(), Type.Unknown()),
  request_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  response_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  signature: Type.String(),
})
export type Receipt = Static<typeof Receipt>
