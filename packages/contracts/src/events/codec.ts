import type { Static, TSchema } from 'typebox'
import { compile, type SchemaProblem } from '../validator.ts'
import { COMMIT_VERSION, CommitEvent } from './commit.ts'
import { JOB_VERSION, JobEvent } from './job.ts'
import { OUTCOME_VERSION, OutcomeEvent } from './outcome.ts'

export type Decoded<T> = { ok: true; event: T } | { ok: false; reason: string }
export type EventCodec<T> = { version: number; encode(event: T): Buffer; decode(value: Buffer): Decoded<T> }

/** Schemas are checked at both ends: encode throws on our own mistake, decode names what a foreign event breaks (never its content). */
export const jobCodec: EventCodec<JobEvent> = codec(JobEvent, JOB_VERSION)
export const outcomeCodec: EventCodec<OutcomeEvent> = codec(OutcomeEvent, OUTCOME_VERSION)
export const commitCodec: EventCodec<CommitEvent> = codec(CommitEvent, COMMIT_VERSION)

function codec<S extends TSchema>(schema: S, version: number): EventCodec<Static<S>> {
  const validate = compile(schema)
  return {
    version,
    encode(event) {
      const checked = validate(event)
      if (!checked.ok) throw new TypeError(`event breaks its schema: ${summary(checked.problems)}`)
      return Buffer.from(JSON.stringify(event))
    },
    decode(value) {
      let parsed: unknown
      try {
        parsed = JSON.parse(value.toString('utf8'))
      } catch {
        return { ok: false, reason: 'not JSON' }
      }
      const checked = validate(parsed)
      return checked.ok ? { ok: true, event: checked.value } : { ok: false, reason: summary(checked.problems) }
    },
  }
}

function summary(problems: SchemaProblem[]): string {
  return problems
    .slice(0, 3)
    .map((problem) => `${problem.path} ${problem.message}`.trim())
    .join('; ')
}
