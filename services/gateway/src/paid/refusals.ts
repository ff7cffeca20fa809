import type { ErrorCode } from '@turnpike/contracts'
import type { AuthorizationRefusal } from '@turnpike/payments'

/** What the check of an authorization found, as the client's error code. */
export const AUTHORIZATION_REFUSALS: Record<AuthorizationRefusal, ErrorCode> = {
  payment_recipient_mismatch: 'payment_mismatch',
  payment_amount_mismatch: 'payment_mismatch',
  authorization_not_yet_valid: 'authorization_not_yet_valid',
  authorization_expires_too_soon: 'authorization_expires_too_soon',
  authorization_expires_too_late: 'authorization_expires_too_late',
}

/** What a facilitator's rejection, its payer's fault, is to the client. Everything not named here is `payment_rejected`. */
export function codeOfRejection(reason: string): ErrorCode {
  if (/insufficient_(balance|funds)/.test(reason)) return 'insufficient_funds'
  if (/nonce_already_used/.test(reason)) return 'payment_already_used'
  if (/signature/.test(reason)) return 'payment_signature_invalid'
  if (/valid_before/.test(reason)) return 'authorization_expires_too_soon'
  if (/valid_after/.test(reason)) return 'authorization_not_yet_valid'
  return 'payment_rejected'
}
