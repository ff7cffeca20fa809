import Type, { type Static } from 'typebox'
import { Address, Atomic, Content, Endpoint, EpochMs, Fingerprint, JobId, KeyHash, Nonce, StoredContent, Uuid } from './fields.ts'

export const JOB_VERSION = 1

/**
 * One admitted, verified, not yet settled request. Key of the Kafka message: jobId.
 * `request` opens to the effective request body (JSON), sealed with `sealedFor.request(jobId)`; `payment` opens to
 * `{paymentPayload, paymentRequirements}` as presented, sealed with `sealedFor.payment(jobId)`: workers never open it.
 */
export const JobEvent = Type.Object({
  type: Type.Literal('job'),
  version: Type.Literal(JOB_VERSION),
  jobId: JobId,
  requestId: Uuid,
  keyHash: KeyHash,
  fingerprint: Fingerprint,
  endpoint: Endpoint,
  model: Type.String({ minLength: 1, maxLength: 64 }),
  catalogVersion: Type.String({ minLength: 1, maxLength: 64 }),
  amountAtomic: Atomic,
  /** What the price was computed from, as it will stand on the receipt. */
  priceInputs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Integer()])),
  payer: Address,
  nonce: Nonce,
  payTo: Address,
  /** Seconds since the epoch, from the authorization. */
  validBefore: Type.Integer({ minimum: 0 }),
  attempt: Type.Integer({ minimum: 0 }),
  admittedAt: EpochMs,
  /** The provider must have answered by then; a worker starts nothing after it. */
  deadline: EpochMs,
  payment: Content,
  request: Content,
  /** Of a transcription: where its audio is staged, encrypted under a data key of its own that lives elsewhere. */
  audio: Type.Optional(StoredContent),
})
export type JobEvent = Static<typeof JobEvent>
