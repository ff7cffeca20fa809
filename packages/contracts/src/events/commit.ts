import Type, { type Static } from 'typebox'
import { Address, Atomic, Endpoint, EpochMs, JobId, Uuid } from './fields.ts'

export const COMMIT_VERSION = 1

/** One per committed receipt, for whoever builds analytics. Key: jobId. No content, no token, no key hash. */
export const CommitEvent = Type.Object({
  type: Type.Literal('commit'),
  version: Type.Literal(COMMIT_VERSION),
  jobId: JobId,
  receiptId: Uuid,
  requestId: Uuid,
  endpoint: Endpoint,
  model: Type.String(),
  catalogVersion: Type.String(),
  amountAtomic: Atomic,
  payer: Address,
  transaction: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  committedAt: EpochMs,
})
export type CommitEvent = Static<typeof CommitEvent>
