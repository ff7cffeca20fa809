import Type, { type Static } from 'typebox'
import { PAID_ENDPOINTS } from '../models.ts'

// The field shapes that events and internal calls share.
export const JobId = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const KeyHash = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
export const Fingerprint = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' })
/** Lower case only: payer and nonce are lower-cased before anything. */
export const Address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })
export const Nonce = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
export const Atomic = Type.String({ pattern: '^[0-9]{1,30}$' })
export const EpochMs = Type.Integer({ minimum: 0 })
export const Endpoint = Type.Enum([...PAID_ENDPOINTS])

/** A claim check: the object key in S3 with the SHA-256 (hex) and the length of the encrypted bytes that lie there. */
export const StoredContent = Type.Object({
  ref: Type.String({ minLength: 1, maxLength: 512 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 1 }),
})
export type StoredContent = Static<typeof StoredContent>

/**
 * Application-encrypted content: the sealed bytes themselves (base64), or a claim check: the object key in S3 with the
 * SHA-256 (hex) and the length of the sealed bytes that lie there.
 */
export const Content = Type.Union([Type.Object({ inline: Type.String() }), StoredContent])
export type Content = Static<typeof Content>
