import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** What a capability opens, and until when (milliseconds since the epoch; at that moment it has expired). */
export type MediaCapability = { objectId: Buffer; expiresAtMs: number }

export const OBJECT_ID_BYTES = 20

// version (1) | key id length (1) | key id | object id (20) | expiry in ms (6) | HMAC-SHA256 over all before it (32)
const VERSION = 1
const EXPIRY_BYTES = 6
const MAC_BYTES = 32
const MAX_TEXT = 256
const PURPOSE = 'turnpike:media-capability:'

/** The same key, object and expiry give the same text, so it need not be stored. */
export function mintMediaCapability(keyring: Keyring, { objectId, expiresAtMs }: MediaCapability): string {
  if (objectId.length !== OBJECT_ID_BYTES) throw new RangeError(`an object id has ${OBJECT_ID_BYTES} bytes`)
  const id = Buffer.from(keyring.activeId)
  const expiry = Buffer.alloc(EXPIRY_BYTES)
  expiry.writeUIntBE(expiresAtMs, 0, EXPIRY_BYTES)
  const claim = Buffer.concat([Buffer.from([VERSION, id.length]), id, objectId, expiry])
  return Buffer.concat([claim, macOf(keyring, keyring.activeId, claim)]).toString('base64url')
}

/**
 * What a capability says, when it is one of ours to the last bit; the caller compares the expiry. Undefined for everything else, which
 * thus never looks expired. Needs no database. An unknown key id costs the same as a wrong MAC, and MACs are compared in constant time.
 */
export function readMediaCapability(keyring: Keyring, text: string): MediaCapability | undefined {
  if (text.length > MAX_TEXT) return undefined
  const bytes = Buffer.from(text, 'base64url')
  // Base64 has several spellings of the same bytes; ours is one.
  if (bytes.toString('base64url') !== text) return undefined
  const idLength = bytes[1]
  if (bytes[0] !== VERSION || idLength === undefined) return undefined
  const objectAt = 2 + idLength
  const expiryAt = objectAt + OBJECT_ID_BYTES
  const macAt = expiryAt + EXPIRY_BYTES
  if (bytes.length !== macAt + MAC_BYTES) return undefined
  const keyId = bytes.subarray(2, objectAt).toString('latin1')
  const isKnown = keyring.keys.has(keyId)
  const mac = macOf(keyring, isKnown ? keyId : keyring.activeId, bytes.subarray(0, macAt))
  if (!timingSafeEqual(mac, bytes.subarray(macAt)) || !isKnown) return undefined
  return { objectId: bytes.subarray(objectAt, expiryAt), expiresAtMs: bytes.readUIntBE(expiryAt, EXPIRY_BYTES) }
}

function macOf(keyring: Keyring, keyId: string, claim: Buffer): Buffer {
  const key = keyring.keys.get(keyId)
  if (key === undefined) throw new Error('no such capability key')
  return createHmac('sha256', key).update(PURPOSE).update(claim).digest()
}
