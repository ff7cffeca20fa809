import { hash } from 'node:crypto'
import canonicalizeJson from 'canonicalize'

/** RFC 8785 text of a JSON value. Throws on what JSON cannot hold (undefined, NaN, lone surrogates). */
export function canonical(value: unknown): string {
  const text = canonicalizeJson(value)
  if (text === undefined) throw new TypeError('not a JSON value')
  return text
}

/** SHA-256 in base64url without padding (43 characters). */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'base64url')
}

export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** The effective request (decisions): the endpoint plus the body after defaults, canonical, hashed. 64 hex characters. */
export function fingerprintOf(endpoint: string, effectiveBody: unknown): string {
  return sha256Hex(canonical({ endpoint, body: effectiveBody }))
}

/** Idempotency keys are secrets: everything past the edge knows them by this hash only (base64url, 43 characters). */
export function keyHashOf(idempotencyKey: string): string {
  return sha256(`turnpike:idempotency-key:${idempotencyKey}`)
}

/**
 * A repeated publish is the same job: the id follows from who pays what with which authorization, and from the number of
 * definite failures that the ledger has recorded for the key (`attempt`). 64 hex characters.
 */
export function jobIdOf(input: { keyHash: string; payer: string; nonce: string; attempt: number }): string {
  return sha256Hex(`turnpike:job:${input.keyHash}:${input.payer.toLowerCase()}:${input.nonce.toLowerCase()}:${input.attempt}`)
}
