import Type, { type Static } from 'typebox'
import { Address, Atomic, EpochMs, JobId, Nonce, Uuid } from '../events/fields.ts'

// The ledger's HTTP interface for the auditor (bearer INTERNAL_TOKEN): its rows as they are, to be held against the chain.
//   POST /internal/audit/authorizations                   AuditAuthorizationsRequest -> AuditAuthorizations (same order)
//   GET  /internal/audit/payments?from=&to=&cursor=       AuditPayments: settled ones, and void ones with a late transfer, whose
//                                                         `blockAtStart` lies in the range, in its order
//   GET  /internal/audit/stray-receipts?since=&cursor=    StrayReceipts: issued since then (ms) and without a settled payment
// A page without `next` is the last one. A page may be empty and have a next one.

// What the rows of a damaged database hold is for the auditor to judge, so the fields are wider here than where rows are written.
const Hash = Type.String()

export const AuditPayment = Type.Object({
  paymentId: Uuid,
  jobId: Hash,
  payer: Hash,
  nonce: Hash,
  payTo: Hash,
  amountAtomic: Atomic,
  /** settling, unknown, settled or void. */
  state: Type.String(),
  transaction: Type.Union([Hash, Type.Null()]),
  lateTransaction: Type.Union([Hash, Type.Null()]),
  /** Void, and the ledger will look for a late transfer once the authorization has lapsed. */
  isWatched: Type.Boolean(),
  blockAtStart: Type.String({ pattern: '^[0-9]{1,20}$' }),
  /** Settled payments of the same idempotency key, this one included. */
  settledOfKey: Type.Integer(),
  /** What PAYMENT-RESPONSE says. */
  settleResponse: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  /** What was quoted and admitted. Null: the job's row is not there. */
  job: Type.Union([Type.Object({ amountAtomic: Atomic, payer: Hash, payTo: Hash }), Type.Null()]),
  receipt: Type.Union([
    Type.Object({ receiptId: Uuid, jobId: Hash, payer: Hash, nonce: Hash, transaction: Hash, amountAtomic: Atomic }),
    Type.Null(),
  ]),
  /** Seven days have passed since settlement: the result may be gone. */
  resultMayBeGone: Type.Boolean(),
})
export type AuditPayment = Static<typeof AuditPayment>

export const AUDIT_PAGE_ITEMS = 200
export const AuditAuthorizationsRequest = Type.Object({
  items: Type.Array(Type.Object({ payer: Address, nonce: Nonce }), { minItems: 1, maxItems: AUDIT_PAGE_ITEMS }),
})
export type AuditAuthorizationsRequest = Static<typeof AuditAuthorizationsRequest>

export const AuditAuthorization = Type.Object({
  payer: Address,
  nonce: Nonce,
  /** Some row of the ledger knows it. */
  wasPresented: Type.Boolean(),
  /** A job that it came with has no outcome yet. */
  hasOpenJob: Type.Boolean(),
  /** The receipt with this payer and nonce, whatever its payment. */
  receiptId: Type.Union([Uuid, Type.Null()]),
  /** Every payment that ever was made of it, void ones included. */
  payments: Type.Array(AuditPayment),
})
export type AuditAuthorization = Static<typeof AuditAuthorization>
export const AuditAuthorizations = Type.Object({ items: Type.Array(AuditAuthorization) })
export type AuditAuthorizations = Static<typeof AuditAuthorizations>

export const AuditPayments = Type.Object({ items: Type.Array(AuditPayment), next: Type.Optional(Type.String()) })
export type AuditPayments = Static<typeof AuditPayments>

export const StrayReceipts = Type.Object({
  items: Type.Array(
    Type.Object({
      receiptId: Uuid,
      paymentId: Uuid,
      jobId: JobId,
      payer: Hash,
      nonce: Hash,
      transaction: Hash,
      createdAt: EpochMs,
    }),
  ),
  next: Type.Optional(Type.String()),
})
export type StrayReceipts = Static<typeof StrayReceipts>
