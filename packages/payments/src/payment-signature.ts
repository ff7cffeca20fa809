import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { isAddress, parseErc6492Signature } from 'viem'
import { type Base64JsonDefect, decodeBase64Json, HEADER_LIMITS } from './base64-json.ts'
import type { Hex } from './usdc.ts'

export type { PaymentPayload }

const UINT256_MAX = (1n << 256n) - 1n

/** An EIP-3009 authorization, addresses and nonce lower-cased, numbers within uint256. */
export interface Authorization {
  from: Hex
  to: Hex
  value: bigint
  /** Unix seconds; the contract asks `now > validAfter` and `now < validBefore`, both strictly. */
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}

/** A well-formed payment. Nothing in it is proved yet. */
export interface Payment {
  /** As the client sent it: this is what goes on to the facilitator. */
  payload: PaymentPayload
  /** What the client says it accepted; compare with `requirementsMismatch`. */
  accepted: PaymentRequirements
  authorization: Authorization
  /** Lower-cased hex of any length: 65 bytes for a plain account, longer for contract wallets. */
  signature: Hex
}

export type PaymentHeaderDefect =
  | Base64JsonDefect
  | 'not_x402_v2'
  | 'accepted_malformed'
  | 'unsupported_payload'
  | 'authorization_malformed'
  | 'signature_malformed'

export type ParsedPayment = { ok: true; payment: Payment } | { ok: false; reason: PaymentHeaderDefect }

/** Reads a `PAYMENT-SIGNATURE` header. Never throws, whatever it is given; the reasons carry nothing of the content. */
export function parsePaymentSignature(header: string, options: { maxBytes?: number } = {}): ParsedPayment {
  const decoded = decodeBase64Json(header, { ...HEADER_LIMITS, maxBytes: options.maxBytes ?? HEADER_LIMITS.maxBytes })
  return decoded.ok ? parsePayment(decoded.value) : decoded
}

/** The same check for a payload that is already JSON (a stored one, say). */
export function parsePayment(value: unknown): ParsedPayment {
  const root = asRecord(value)
  if (root === undefined || own(root, 'x402Version') !== 2) return { ok: false, reason: 'not_x402_v2' }
  const accepted = parsePaymentRequirements(own(root, 'accepted'))
  if (accepted === undefined) return { ok: false, reason: 'accepted_malformed' }
  const body = asRecord(own(root, 'payload'))
  // Exactly these two members. The official facilitator prefers `permit2Authorization` where both are present, so a payload
  // with a second authorization would be checked here by one and settled there by the other.
  if (body === undefined || !hasOnly(body, ['authorization', 'signature'])) return { ok: false, reason: 'unsupported_payload' }
  const authorization = parseAuthorization(own(body, 'authorization'))
  if (authorization === undefined) return { ok: false, reason: 'authorization_malformed' }
  const signature = own(body, 'signature')
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2})+$/.test(signature) || !isReadable(lower(signature)))
    return { ok: false, reason: 'signature_malformed' }
  const resource = own(root, 'resource')
  const extensions = own(root, 'extensions')
  if (isPresent(resource) && asRecord(resource) === undefined) return { ok: false, reason: 'not_x402_v2' }
  if (isPresent(extensions) && asRecord(extensions) === undefined) return { ok: false, reason: 'not_x402_v2' }
  // The shape was checked member by member above; the facilitator gets the very object the client sent.
  const payload = value as PaymentPayload
  return { ok: true, payment: { payload, accepted, authorization, signature: lower(signature) } }
}

/** The official shape, member by member; undefined when it is not one. Its meaning is for `requirementsMismatch`. */
export function parsePaymentRequirements(value: unknown): PaymentRequirements | undefined {
  const record = asRecord(value)
  if (record === undefined) return undefined
  const scheme = own(record, 'scheme')
  const network = own(record, 'network')
  const asset = own(record, 'asset')
  const amount = own(record, 'amount')
  const payTo = own(record, 'payTo')
  const maxTimeoutSeconds = own(record, 'maxTimeoutSeconds')
  const extra = own(record, 'extra')
  if (typeof scheme !== 'string' || typeof network !== 'string' || !isCaip2(network)) return undefined
  if (typeof asset !== 'string' || typeof amount !== 'string' || typeof payTo !== 'string') return undefined
  if (typeof maxTimeoutSeconds !== 'number') return undefined
  const extraRecord = isPresent(extra) ? asRecord(extra) : {}
  if (extraRecord === undefined) return undefined
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra: extraRecord }
}

function parseAuthorization(value: unknown): Authorization | undefined {
  const record = asRecord(value)
  if (record === undefined) return undefined
  const from = parseAddress(own(record, 'from'))
  const to = parseAddress(own(record, 'to'))
  const amount = parseUint256(own(record, 'value'))
  const validAfter = parseUint256(own(record, 'validAfter'))
  const validBefore = parseUint256(own(record, 'validBefore'))
  const nonce = own(record, 'nonce')
  if (from === undefined || to === undefined) return undefined
  if (amount === undefined || validAfter === undefined || validBefore === undefined) return undefined
  if (typeof nonce !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(nonce)) return undefined
  return { from, to, value: amount, validAfter, validBefore, nonce: lower(nonce) }
}

/**
 * Not one that ends as an ERC-6492 wrapper does and holds none: the official classes unpack it without a net, and their fault would
 * pass for a facilitator that is away.
 */
function isReadable(signature: Hex): boolean {
  try {
    parseErc6492Signature(signature)
    return true
  } catch {
    return false
  }
}

/** Lower case, or mixed case with a right EIP-55 checksum: the official facilitator calls the signature of any other wrong. */
function parseAddress(value: unknown): Hex | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value) || !isAddress(value)) return undefined
  return lower(value)
}

/** Decimal text only: a JSON number loses digits, and hex would be read differently by different parties. */
function parseUint256(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^(?:0|[1-9]\d{0,77})$/.test(value)) return undefined
  const number = BigInt(value)
  return number <= UINT256_MAX ? number : undefined
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function hasOnly(record: Record<string, unknown>, keys: readonly string[]): boolean {
  return Object.keys(record).every((key) => keys.includes(key))
}

function isCaip2(network: string): network is `${string}:${string}` {
  return /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(network)
}

function lower(hex: string): Hex {
  return hex.toLowerCase() as Hex
}
