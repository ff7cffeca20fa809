import Type, { type Static } from 'typebox'
import { FAILURE_CODES } from '../outcome-codes.ts'
import { Content, EpochMs, JobId, KeyHash } from './fields.ts'

export const OUTCOME_VERSION = 1

const common = {
  type: Type.Literal('outcome'),
  version: Type.Literal(OUTCOME_VERSION),
  jobId: JobId,
  keyHash: KeyHash,
  finishedAt: EpochMs,
}

/** The response exactly as it will be sent. `sha256` (hex) and `bytes` are of the plain body; `body` is sealed with `sealedFor.result(jobId)`. */
export const Result = Type.Object({
  contentType: Type.String({ minLength: 1, maxLength: 128 }),
  body: Content,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 0 }),
})
export type Result = Static<typeof Result>

/** What became of one job. Key of the Kafka message: jobId. The ledger takes the first terminal outcome per job. */
export const OutcomeEvent = Type.Union([
  Type.Object({ ...common, kind: Type.Literal('succeeded'), result: Result, usage: Type.Record(Type.String(), Type.Unknown()) }),
  /** `failed` is definite (nothing usable was produced, the client may try again); `refused` is the provider's or our own no. */
  Type.Object({
    ...common,
    kind: Type.Enum(['failed', 'refused', 'ambiguous']),
    code: Type.Enum([...FAILURE_CODES]),
    /** A sentence for the client: never an upstream name, a prompt or a result. */
    message: Type.Optional(Type.String({ maxLength: 500 })),
    retryAfterS: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600 })),
  }),
])
export type OutcomeEvent = Static<typeof OutcomeEvent>
export type SucceededOutcome = Extract<OutcomeEvent, { kind: 'succeeded' }>
export type UnsuccessfulOutcome = Exclude<OutcomeEvent, { kind: 'succeeded' }>
