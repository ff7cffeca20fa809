import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** Altered, truncated, bound to something else, or sealed with a key that this keyring does not hold. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

// version (1) | key id length (1) | key id | salt (16) | iv (12) | tag (16) | ciphertext
const VERSION = 1
const SALT_BYTES = 16
const IV_BYTES = 12
const TAG_BYTES = 16
const SEALS_PER_SALT = 2 ** 20
const MAX_KEPT_KEYS = 256

/**
 * AES-256-GCM, bound to `boundTo` as additional data, under a key that is derived from the ring's key and a random salt. A salt serves
 * this process for 2^20 seals: random 96-bit nonces under one key are safe for 2^32 only, which a busy installation passes in months.
 */
export function seal(keyring: Keyring, plain: Uint8Array, boundTo: string): Buffer {
  const id = Buffer.from(keyring.activeId)
  const salt = saltFor(keyring)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derivedKey(keyring, keyring.activeId, salt), iv)
  cipher.setAAD(Buffer.from(boundTo))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.from([VERSION, id.length]), id, salt, iv, cipher.getAuthTag(), ciphertext])
}

/** Throws SealBroken. */
export function open(keyring: Keyring, sealed: Uint8Array, boundTo: string): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const idLength = bytes[1]
  if (bytes[0] !== VERSION || idLength === undefined) throw new SealBroken('not a sealed content')
  const header = 2 + idLength
  const body = header + SALT_BYTES + IV_BYTES + TAG_BYTES
  if (bytes.length < body) throw new SealBroken('sealed content is truncated')
  const salt = bytes.subarray(header, header + SALT_BYTES)
  const iv = bytes.subarray(header + SALT_BYTES, header + SALT_BYTES + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', derivedKey(keyring, bytes.subarray(2, header).toString(), salt), iv)
  decipher.setAAD(Buffer.from(boundTo))
  decipher.setAuthTag(bytes.subarray(body - TAG_BYTES, body))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()])
  } catch {
    throw new SealBroken('sealed content was altered or is bound to something else')
  }
}

type Derivations = { salt: Buffer; sealsLeft: number; keys: Map<string, Buffer> }

const derivations = new WeakMap<Keyring, Derivations>()

function derivationsOf(keyring: Keyring): Derivations {
  const known = derivations.get(keyring)
  if (known !== undefined) return known
  const fresh = { salt: randomBytes(SALT_BYTES), sealsLeft: SEALS_PER_SALT, keys: new Map<string, Buffer>() }
  derivations.set(keyring, fresh)
  return fresh
}

function saltFor(keyring: Keyring): Buffer {
  const own = derivationsOf(keyring)
  if (own.sealsLeft === 0) {
    own.salt = randomBytes(SALT_BYTES)
    own.sealsLeft = SEALS_PER_SALT
  }
  own.sealsLeft -= 1
  return own.salt
}

/** Kept, because it costs as much as sealing does, and few processes seal at a time. */
function derivedKey(keyring: Keyring, id: string, salt: Buffer): Buffer {
  const key = keyring.keys.get(id)
  if (key === undefined) throw new SealBroken('sealed with a key that is not in the ring')
  const { keys } = derivationsOf(keyring)
  const name = `${id}.${salt.toString('base64')}`
  const known = keys.get(name)
  if (known !== undefined) return known
  const derived = Buffer.from(hkdfSync('sha256', key, salt, 'turnpike:content', 32))
  if (keys.size >= MAX_KEPT_KEYS) keys.clear()
  keys.set(name, derived)
  return derived
}
