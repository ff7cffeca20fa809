import { createHash, createPublicKey, verify } from 'node:crypto'
import canonicalize from 'canonicalize'

// Everything that it takes to check a receipt, without any code of the service that issued it.

/** One thing that was looked at, in plain words. */
export type Check = { holds: boolean; says: string }

export type Jwks = { keys: readonly Record<string, unknown>[] }

type Fields = Record<string, unknown>

/** The detached JWS (RFC 7515 appendix F) over the RFC 8785 form of the receipt without its `signature`. */
export function checkSignature(receipt: Fields, jwks: Jwks): Check {
  const { signature, ...signed } = receipt
  if (typeof signature !== 'string') return no('the receipt carries no signature')
  const [header = '', payload, encoded = '', ...rest] = signature.split('.')
  if (payload !== '' || rest.length > 0) return no('its signature is no detached JWS')
  const { alg, kid, crit, b64 } = parseHeader(header)
  // An extension that we do not know could change what the signature means.
  if (alg !== 'EdDSA' || crit !== undefined || b64 !== undefined)
    return no('its signature is not made as EdDSA over the plain payload')
  const key = jwks.keys.find((candidate) => candidate.kid === kid && candidate.kty === 'OKP' && candidate.crv === 'Ed25519')
  if (key === undefined) return no(`the issuer publishes no Ed25519 key with the id ${JSON.stringify(kid)}`)
  const text = canonicalize(signed)
  if (text === undefined) return no('the receipt is not JSON')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: String(key.x) }, format: 'jwk' })
  const message = Buffer.from(`${header}.${Buffer.from(text).toString('base64url')}`)
  return verify(null, message, publicKey, Buffer.from(encoded, 'base64url'))
    ? yes(`the issuer's key ${JSON.stringify(kid)} signed every field of this receipt as it stands`)
    : no(`the issuer's key ${JSON.stringify(kid)} did not sign this receipt as it stands: something in it was changed`)
}

const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

/** Whether the receipt agrees with itself: the amount in both spellings, and the money it speaks of. */
export function checkContent(receipt: Fields): Check[] {
  const price = fieldsOf(receipt.price)
  const payment = fieldsOf(receipt.payment)
  const amount = String(price.amount)
  return [
    check(
      receipt.object === 'receipt' && payment.network === 'eip155:8453' && lower(payment.asset) === USDC_ON_BASE,
      'it is a receipt for a payment in USDC on Base',
    ),
    check(
      price.currency === 'USDC' && atomicOf(amount) === String(price.amount_atomic),
      `the price, ${amount} USDC, is the ${String(price.amount_atomic)} atomic units that were paid (6 decimals)`,
    ),
  ]
}

/** Whether these bytes are the response that was sold. */
export function checkResponse(receipt: Fields, response: Uint8Array): Check {
  const digest = createHash('sha256').update(response).digest('hex')
  return check(
    digest === receipt.response_sha256,
    `the response (${response.length} bytes) is the one that was sold: its SHA-256 is ${digest}`,
  )
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function yes(says: string): Check {
  return { holds: true, says }
}

export function no(says: string): Check {
  return { holds: false, says }
}

/** A sentence that is true or not. */
export function check(holds: boolean, says: string): Check {
  return { holds, says }
}

function parseHeader(header: string): Fields {
  try {
    return fieldsOf(JSON.parse(Buffer.from(header, 'base64url').toString()))
  } catch {
    return {}
  }
}

/** "0.002" in millionths, without a floating point. */
function atomicOf(decimal: string): string | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(decimal) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(6, '0')).toString()
}

function lower(value: unknown): string {
  return String(value).toLowerCase()
}
