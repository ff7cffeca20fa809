import Type, { type Static } from 'typebox'
import { Address, Atomic, Content, Endpoint, Fingerprint, JobId, KeyHash, Nonce, Uuid } from '../events/fields.ts'
import { FAILURE_CODES } from '../outcome-codes.ts'

// The ledger's HTTP interface for the gateway (bearer INTERNAL_TOKEN). One place for both ends.
//   POST /internal/lookup                LookupRequest -> LookupResponse (same order)
//   GET  /internal/releases/{jobId}      Release, or 404 while it is not committed
//   POST /internal/settle-stored         SettleStoredRequest -> SettleStoredResponse
//   GET  /internal/receipts/{receiptId}  the receipt as issued (JSON), or 404
//   GET  /internal/jwks                  {keys: [...]}

/**
 * Where an idempotency key stands, for ever after its first admission:
 * - `unknown`: never admitted
 * - `in_flight`: a job is recorded and has no terminal outcome yet
 * - `settling`: the result is stored, settlement is under way
 * - `settlement_unknown`: settlement may or may not have happened; only the chain can tell (I5: never a 402)
 * - `settled`: result, payment and receipt are committed
 * - `free`: the last job failed or was refused for sure; the key and its signature may be used again
 * - `ambiguous`: the provider may have executed; nothing is settled, the key stays on that answer
 * - `awaiting_payment`: the result is stored, its payment failed for sure; a new signature by the same payer releases it
 * - `expired`: was settled more than 7 days ago
 */
export const KEY_STATES = [
  'unknown',
  'in_flight',
  'settling',
  'settlement_unknown',
  'settled',
  'free',
  'ambiguous',
  'awaiting_payment',
  'expired',
] as const
export const KeyState = Type.Enum([...KEY_STATES])
export type KeyState = (typeof KEY_STATES)[number]

export const JOB_STATES = ['admitted', 'succeeded', 'failed', 'refused', 'ambiguous', 'superseded'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Why and how a job ended without a result. */
export const JobFailure = Type.Object({
  code: Type.Enum([...FAILURE_CODES]),
  message: Type.Optional(Type.String()),
  retryAfterS: Type.Optional(Type.Integer()),
})
export type JobFailure = Static<typeof JobFailure>

export const LookupRequest = Type.Object({
  items: Type.Array(
    Type.Object({
      keyHash: KeyHash,
      /** Ask also to whom this authorization belongs. */
      authorization: Type.Optional(Type.Object({ payer: Address, nonce: Nonce })),
      /** Ask also how this job stands. */
      jobId: Type.Optional(JobId),
    }),
    { minItems: 1, maxItems: 500 },
  ),
})
export type LookupRequest = Static<typeof LookupRequest>

export const LookupItem = Type.Object({
  keyHash: KeyHash,
  state: KeyState,
  /** Absent when the state is `unknown`. */
  key: Type.Optional(
    Type.Object({
      fingerprint: Fingerprint,
      payer: Address,
      /** The job that owns the key now: in flight, or the one whose result is stored. */
      jobId: JobId,
      amountAtomic: Atomic,
      /** Definite failures and refusals recorded so far: the `attempt` of the next job. */
      attempts: Type.Integer({ minimum: 0 }),
      /** How the last job ended, when the state is `free` or `ambiguous`; why settlement failed, when `awaiting_payment`. */
      failure: Type.Optional(JobFailure),
      settlementFailure: Type.Optional(Type.String()),
    }),
  ),
  /** The first effective request that the authorization arrived with, if it ever was admitted. */
  authorizationOwner: Type.Optional(Type.Object({ keyHash: KeyHash, fingerprint: Fingerprint })),
  /** Whether that payer has ever settled a payment here. */
  payerHasHistory: Type.Optional(Type.Boolean()),
  /** Absent when the job is not recorded (yet). */
  job: Type.Optional(Type.Object({ state: Type.Enum([...JOB_STATES]), failure: Type.Optional(JobFailure) })),
})
export type LookupItem = Static<typeof LookupItem>
export const LookupResponse = Type.Object({ items: Type.Array(LookupItem) })
export type LookupResponse = Static<typeof LookupResponse>

/** Everything a released response is made of, as committed. The body opens with `sealedFor.result(jobId)`. */
export const Release = Type.Object({
  jobId: JobId,
  receiptId: Uuid,
  catalogVersion: Type.String(),
  endpoint: Endpoint,
  fingerprint: Fingerprint,
  payer: Address,
  contentType: Type.String(),
  body: Content,
  sha256: Type.String(),
  bytes: Type.Integer(),
  /** The x402 SettleResponse that PAYMENT-RESPONSE encodes: always the same bytes for one receipt. */
  paymentResponse: Type.Record(Type.String(), Type.Unknown()),
  /** `created` of the receipt. Not given by ledgers of the release before. */
  createdS: Type.Optional(Type.Integer()),
})
export type Release = Static<typeof Release>

/** A new signature for a stored result (state `awaiting_payment`). `payment` is sealed with `sealedFor.payment(jobId)`. */
export const SettleStoredRequest = Type.Object({
  keyHash: KeyHash,
  jobId: JobId,
  fingerprint: Fingerprint,
  payer: Address,
  nonce: Nonce,
  validBefore: Type.Integer({ minimum: 0 }),
  amountAtomic: Atomic,
  payment: Content,
})
export type SettleStoredRequest = Static<typeof SettleStoredRequest>

/** `accepted`: settlement is under way or done, wait for the key as usual. `conflict`: the key is in another state, look it up again. */
export const SettleStoredResponse = Type.Object({ status: Type.Enum(['accepted', 'conflict', 'payment_already_used']) })
export type SettleStoredResponse = Static<typeof SettleStoredResponse>
