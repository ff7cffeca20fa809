import type { PaymentRequirements } from '@x402/core/types'
import type { Authorization } from './payment-signature.ts'

export type AuthorizationRefusal =
  | 'payment_recipient_mismatch'
  | 'payment_amount_mismatch'
  | 'authorization_not_yet_valid'
  | 'authorization_expires_too_soon'
  | 'authorization_expires_too_late'

export type AuthorizationCheck = { kind: 'acceptable' } | { kind: 'refused'; reason: AuthorizationRefusal }

/**
 * Does what was signed pay what was asked, and for long enough?
 *
 * `mustCoverMs` is the provider deadline plus settlement: work is never done that could not be paid afterwards.
 * `maxAheadMs` bounds how long a payment could stay undecided.
 */
export function checkAuthorization(input: {
  authorization: Authorization
  requirements: PaymentRequirements
  nowMs: number
  mustCoverMs: number
  maxAheadMs: number
}): AuthorizationCheck {
  const { authorization, requirements } = input
  if (authorization.to !== requirements.payTo.toLowerCase()) return { kind: 'refused', reason: 'payment_recipient_mismatch' }
  if (authorization.value.toString() !== requirements.amount) return { kind: 'refused', reason: 'payment_amount_mismatch' }
  const nowMs = BigInt(Math.floor(input.nowMs))
  const validAfterMs = authorization.validAfter * 1000n
  const validBeforeMs = authorization.validBefore * 1000n
  if (validAfterMs > nowMs) return { kind: 'refused', reason: 'authorization_not_yet_valid' }
  if (validBeforeMs < nowMs + BigInt(Math.ceil(input.mustCoverMs)))
    return { kind: 'refused', reason: 'authorization_expires_too_soon' }
  if (validBeforeMs > nowMs + BigInt(Math.floor(input.maxAheadMs)))
    return { kind: 'refused', reason: 'authorization_expires_too_late' }
  return { kind: 'acceptable' }
}
