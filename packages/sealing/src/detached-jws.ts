import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'

export type Ed25519PrivateJwk = { kty: 'OKP'; crv: 'Ed25519'; kid: string; x: string; d: string }
export type Ed25519PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; kid: string; x: string; use: 'sig'; alg: 'EdDSA' }

/** RFC 7515 appendix F: the payload is left out of the serialisation (`header..signature`). */
export function signDetached(key: Ed25519PrivateJwk, payload: string): string {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', kid: key.kid }))
  const signature = sign(null, Buffer.from(`${header}.${base64url(payload)}`), privateKeyOf(key))
  return `${header}..${signature.toString('base64url')}`
}

export function verifyDetached(keys: readonly Ed25519PublicJwk[], jws: string, payload: string): boolean {
  const [header, empty, signature, ...rest] = jws.split('.')
  if (header === undefined || empty !== '' || signature === undefined || rest.length > 0) return false
  let kid: unknown
  try {
    const parsed = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown; kid?: unknown }
    if (parsed.alg !== 'EdDSA') return false
    kid = parsed.kid
  } catch {
    return false
  }
  const key = keys.find((candidate) => candidate.kid === kid)
  if (key === undefined) return false
  const publicKey = createPublicKey({ key: asJsonWebKey(key), format: 'jwk' })
  return verify(null, Buffer.from(`${header}.${base64url(payload)}`), publicKey, Buffer.from(signature, 'base64url'))
}

const privateKeys = new WeakMap<Ed25519PrivateJwk, KeyObject>()

/** Reading a key takes as long as signing with it. */
function privateKeyOf(key: Ed25519PrivateJwk): KeyObject {
  const known = privateKeys.get(key)
  if (known !== undefined) return known
  const privateKey = createPrivateKey({ key: asJsonWebKey(key), format: 'jwk' })
  privateKeys.set(key, privateKey)
  return privateKey
}

export function publicJwk({ kid, x }: Ed25519PrivateJwk): Ed25519PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', kid, x, use: 'sig', alg: 'EdDSA' }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function asJsonWebKey(key: object): JsonWebKey {
  return { ...key }
}
