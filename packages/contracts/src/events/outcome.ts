import Type, { type Static } from 'typebox'
import { FAILURE_CODES } from '../outcome-codes.ts'
import { Content, EpochMs, JobId, KeyHash } from './fields.ts'

export const OUTCOME_VERSION = 2
export const OUTCOME_PREVIOUS_VERSION = 1

const ids = { type: Type.Literal('outcome'), jobId: JobId, keyHash: KeyHash, finishedAt: EpochMs }
const current = {
  ...ids,
  version: Type.Literal(OUTCOME_VERSION),
  /** When the worker that tells began with the job. Null: nobody who tells began, or a worker of the version before told. */
  startedAt: Type.Union([EpochMs, Type.Null()]),
}
const previous = { ...ids, version: Type.Literal(OUTCOME_PREVIOUS_VERSION) }

/** The response exactly as it will be sent. `sha256` (hex) and `bytes` are of the plain body; `body` is sealed with `sealedFor.result(jobId)`. */
export const Result = Type.Object({
  contentType: Type.String({ minLength: 1, maxLength: 128 }),
  body: Content,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 0 }),
})
export type Result = Static<typeof Result>

/** `failed` is definite (nothing usable was produced, the client may try again); `refused` is the provider's or our own no. */
const unsuccessful = {
  kind: Type.Enum(['failed', 'refused', 'ambiguous']),
  code: Type.Enum([...FAILURE_CODES]),
  /** A sentence for the client: never an upstream name, a prompt or a result. */
  message: Type.Optional(Type.String({ maxLength: 500 })),
  retryAfterS: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600 })),
}
const succeeded = { kind: Type.Literal('succeeded'), result: Result, usage: Type.Record(Type.String(), Type.Unknown()) }

/** What became of one job. Key of the Kafka message: jobId. The ledger takes the first terminal outcome per job. */
export const OutcomeEvent = Type.Union([Type.Object({ ...current, ...succeeded }), Type.Object({ ...current, ...unsuccessful })])
export type OutcomeEvent = Static<typeof OutcomeEvent>
export type SucceededOutcome = Extract<OutcomeEvent, { kind: 'succeeded' }>
export type UnsuccessfulOutcome = Exclude<OutcomeEvent, { kind: 'succeeded' }>

/** As the release before wrote it and reads it. */
export const PreviousOutcomeEvent = Type.Union([
  Type.Object({ ...previous, ...succeeded }),
  Type.Object({ ...previous, ...unsuccessful }),
])
export type PreviousOutcomeEvent = Static<typeof PreviousOutcomeEvent>

export function previousOutcome({ startedAt: _, ...event }: OutcomeEvent): PreviousOutcomeEvent {
  return { ...event, version: OUTCOME_PREVIOUS_VERSION }
}

export function outcomeOfPrevious(event: PreviousOutcomeEvent): OutcomeEvent {
  return { ...event, version: OUTCOME_VERSION, startedAt: null }
}
