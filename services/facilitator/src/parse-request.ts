import {
  NETWORK,
  type Payment,
  type PaymentRequirements,
  parsePayment,
  parsePaymentRequirements,
  USDC_ADDRESS,
} from '@turnpike/payments'
import { isAddress } from 'viem'

/** Reasons by the x402 specification's list of error codes. */
export type RequestDefect =
  | 'invalid_x402_version'
  | 'invalid_payload'
  | 'unsupported_payload_type'
  | 'invalid_payment_requirements'
  | 'unsupported_scheme'
  | 'invalid_network'

export type FacilitatorRequest =
  | { kind: 'request'; payment: Payment; requirements: PaymentRequirements }
  | { kind: 'incomplete' }
  | { kind: 'defect'; reason: RequestDefect; detail: string }

/**
 * The official classes trust their input and end in a TypeError or worse; nothing reaches them that is not whole. `recipients` are
 * lower-cased; undefined when any will do.
 */
export function parseRequest(body: unknown, recipients: readonly string[] | undefined): FacilitatorRequest {
  if (typeof body !== 'object' || body === null) return { kind: 'incomplete' }
  const payload = 'paymentPayload' in body ? body.paymentPayload : undefined
  const wanted = 'paymentRequirements' in body ? body.paymentRequirements : undefined
  if (!payload || !wanted) return { kind: 'incomplete' }
  const requirements = parsePaymentRequirements(wanted)
  if (requirements === undefined) return { kind: 'defect', reason: 'invalid_payment_requirements', detail: 'malformed' }
  if (requirements.scheme !== 'exact') return { kind: 'defect', reason: 'unsupported_scheme', detail: 'only exact' }
  if (requirements.network !== NETWORK) return { kind: 'defect', reason: 'invalid_network', detail: `only ${NETWORK}` }
  const isUsdc = requirements.asset.toLowerCase() === USDC_ADDRESS.toLowerCase()
  if (!isUsdc) return { kind: 'defect', reason: 'invalid_payment_requirements', detail: `only the asset ${USDC_ADDRESS}` }
  const isPayable = isAddress(requirements.payTo, { strict: false }) && /^(?:0|[1-9]\d{0,77})$/.test(requirements.amount)
  if (!isPayable) return { kind: 'defect', reason: 'invalid_payment_requirements', detail: 'payTo or amount' }
  const isServed = recipients === undefined || recipients.includes(requirements.payTo.toLowerCase())
  if (!isServed) return { kind: 'defect', reason: 'invalid_payment_requirements', detail: 'not a recipient of this facilitator' }
  const parsed = parsePayment(payload)
  if (parsed.ok) return { kind: 'request', payment: parsed.payment, requirements }
  if (parsed.reason === 'not_x402_v2') return { kind: 'defect', reason: 'invalid_x402_version', detail: 'only version 2' }
  if (parsed.reason === 'unsupported_payload')
    return { kind: 'defect', reason: 'unsupported_payload_type', detail: 'only EIP-3009' }
  return { kind: 'defect', reason: 'invalid_payload', detail: parsed.reason }
}
