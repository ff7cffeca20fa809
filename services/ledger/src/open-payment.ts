import { sealedFor } from '@turnpike/contracts'
import { type PaymentPayload, type PaymentRequirements, parsePayment } from '@turnpike/payments'
import { type Keyring, open, SealBroken } from '@turnpike/sealing'
import { ClaimCheckBroken, ObjectMissing, type ObjectStore, unpackContent } from '@turnpike/storage'
import type { UndecidedPayment } from './undecided-payment.ts'

export type OpenedPayment =
  | { kind: 'opened'; payload: PaymentPayload; requirements: PaymentRequirements }
  /** A fault of ours, never the payer's: a key that is missing from the ring, a store that is away or lost it, a gateway's mistake. */
  | { kind: 'unreadable'; reason: UnreadableReason; error?: unknown }

export type UnreadableReason = 'seal_broken' | 'not_there' | 'malformed' | 'other_payment' | 'store_unavailable'

/** Opens the sealed payment and makes sure that it is the one that the ledger's row describes. */
export async function openPayment(deps: { keyring: Keyring; store: ObjectStore }, row: UndecidedPayment): Promise<OpenedPayment> {
  if (row.payment === null) return { kind: 'unreadable', reason: 'not_there' }
  let sealed: Buffer
  try {
    sealed = await unpackContent(deps.store, row.payment)
  } catch (error) {
    if (error instanceof ClaimCheckBroken) return { kind: 'unreadable', reason: 'seal_broken' }
    if (error instanceof ObjectMissing) return { kind: 'unreadable', reason: 'not_there' }
    return { kind: 'unreadable', reason: 'store_unavailable', error }
  }
  let presented: unknown
  try {
    presented = JSON.parse(open(deps.keyring, sealed, sealedFor.payment(row.jobId)).toString('utf8'))
  } catch (error) {
    if (error instanceof SealBroken) return { kind: 'unreadable', reason: 'seal_broken' }
    if (error instanceof SyntaxError) return { kind: 'unreadable', reason: 'malformed' }
    throw error
  }
  const { paymentPayload, paymentRequirements } = presented as {
    paymentPayload?: unknown
    paymentRequirements?: PaymentRequirements
  }
  const parsed = parsePayment(paymentPayload)
  if (!parsed.ok || paymentRequirements === undefined) return { kind: 'unreadable', reason: 'malformed' }
  const { authorization, payload } = parsed.payment
  const isThisOne =
    authorization.from === row.payer &&
    authorization.nonce === row.nonce &&
    authorization.to === row.payTo &&
    authorization.value === row.amountAtomic &&
    authorization.validBefore === row.validBefore &&
    paymentRequirements.amount === row.amountAtomic.toString() &&
    paymentRequirements.payTo.toLowerCase() === row.payTo
  return isThisOne
    ? { kind: 'opened', payload, requirements: paymentRequirements }
    : { kind: 'unreadable', reason: 'other_payment' }
}
