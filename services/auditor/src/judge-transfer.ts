import type { AuditAuthorization, AuditPayment } from '@turnpike/contracts'
import type { TransferToSeller } from '@turnpike/payments'
import { compareRows } from './compare-rows.ts'
import type { Difference, DifferenceCode, Place } from './differences.ts'

export type AuthorizedTransfer = TransferToSeller & { nonce: `0x${string}` }

/** What the ledger's rows make of one authorized transfer to the seller. */
export type Verdict =
  /** Made with an authorization that was never presented here. */
  | { kind: 'foreign' }
  /** A settled payment belongs to it; its receipt and result are still to be fetched. */
  | { kind: 'settled'; payment: AuditPayment; differences: Difference[] }
  /** It came after its payment had failed for sure. The ledger lists it for refund, or will once the authorization has lapsed. */
  | { kind: 'refund_due'; payment: AuditPayment; isListed: boolean }
  /** The ledger is at it: to be looked at again. */
  | { kind: 'undecided'; difference: Difference }
  | { kind: 'different'; differences: Difference[] }

/** `ourSigners`: accounts that send transactions for this installation only, lower case; what they sent was presented here. */
export function judgeTransfer(transfer: AuthorizedTransfer, found: AuditAuthorization, ourSigners: ReadonlySet<string>): Verdict {
  const place = placeOf(transfer)
  const different = (code: DifferenceCode, detail: string, more: Place = {}): Verdict => ({
    kind: 'different',
    differences: [{ code, detail, ...place, ...more }],
  })
  const settled = found.payments.filter(({ state }) => state === 'settled')
  const [payment, ...others] = settled
  if (payment !== undefined && others.length === 0) {
    return { kind: 'settled', payment, differences: compareRows(payment, transfer) }
  }
  if (others.length > 0) {
    const ids = settled.map(({ paymentId }) => paymentId).join(', ')
    return different('authorization_settled_twice', `payments ${ids}`)
  }
  if (found.receiptId !== null) {
    return different('receipt_without_payment', statesOf(found), { receiptId: found.receiptId })
  }
  const open = found.payments.find(({ state }) => state !== 'void')
  if (open !== undefined) {
    const difference = { code: 'payment_undecided', detail: `its payment is ${open.state}`, ...place, ...idsOf(open) } as const
    return { kind: 'undecided', difference }
  }
  const late = found.payments.find(({ lateTransaction }) => lateTransaction === transfer.transaction)
  if (late !== undefined) return { kind: 'refund_due', payment: late, isListed: true }
  const watched = found.payments.find(({ isWatched }) => isWatched)
  if (watched !== undefined) return { kind: 'refund_due', payment: watched, isListed: false }
  const voided = found.payments.at(-1)
  if (voided !== undefined) {
    const listed = voided.lateTransaction === null ? 'no transaction is listed' : `${voided.lateTransaction} is listed`
    return different('late_transfer_not_listed', listed, idsOf(voided))
  }
  if (found.hasOpenJob) {
    return { kind: 'undecided', difference: { code: 'payment_undecided', detail: 'its job has no outcome yet', ...place } }
  }
  if (found.wasPresented) return different('transfer_without_payment', 'its job ended without a result')
  return ourSigners.has(transfer.sentBy) ? different('transfer_unknown', `sent by ${transfer.sentBy}`) : { kind: 'foreign' }
}

export function placeOf({ transaction, blockNumber, payer, nonce }: AuthorizedTransfer): Place {
  return { transaction, blockNumber, payer, nonce }
}

export function idsOf({ paymentId, jobId, receipt }: AuditPayment): Place {
  return { paymentId, jobId, ...(receipt === null ? {} : { receiptId: receipt.receiptId }) }
}

function statesOf({ payments }: AuditAuthorization): string {
  if (payments.length === 0) return 'there is no payment row'
  return payments.map(({ paymentId, state }) => `payment ${paymentId} is ${state}`).join(', ')
}
