import type { Static, TSchema } from 'typebox'
import { compile, type SchemaProblem } from '../validator.ts'
import { COMMIT_VERSION, CommitEvent } from './commit.ts'
import { JOB_VERSION, JobEvent } from './job.ts'
import {
  OUTCOME_PREVIOUS_VERSION,
  OUTCOME_VERSION,
  OutcomeEvent,
  outcomeOfPrevious,
  PreviousOutcomeEvent,
  previousOutcome,
} from './outcome.ts'

export type Decoded<T> = { ok: true; event: T } | { ok: false; reason: string }
export type EventCodec<T> = { version: number; encode(event: T): Buffer; decode(value: Buffer): Decoded<T> }

/**
 * Which schema is written. Releases run side by side while one replaces the other, and the older one cannot read what it does not know:
 * `previous` is what both read, `current` is for when the older one is gone.
 */
export const EVENT_SCHEMAS = ['previous', 'current'] as const
export type EventSchema = (typeof EVENT_SCHEMAS)[number]

/** Of an event with two schemas. Code sees the current one: both are read, and the chosen one is written. */
export type TwoSchemaCodec<T> = {
  /** As the header says it. */
  versionOf(schema: EventSchema): number
  encode(event: T, schema: EventSchema): Buffer
  decode(value: Buffer): Decoded<T>
}

/** Schemas are checked at both ends: encode throws on our own mistake, decode names what a foreign event breaks (never its content). */
export const jobCodec: EventCodec<JobEvent> = codec(JobEvent, JOB_VERSION)
export const commitCodec: EventCodec<CommitEvent> = codec(CommitEvent, COMMIT_VERSION)
export const outcomeCodec: TwoSchemaCodec<OutcomeEvent> = twoSchemas({
  current: codec(OutcomeEvent, OUTCOME_VERSION),
  previous: codec(PreviousOutcomeEvent, OUTCOME_PREVIOUS_VERSION),
  toPrevious: previousOutcome,
  toCurrent: outcomeOfPrevious,
})

type Codec<T> = EventCodec<T> & { read(value: unknown): Decoded<T> }

function codec<S extends TSchema>(schema: S, version: number): Codec<Static<S>> {
  const validate = compile(schema)
  const read = (value: unknown): Decoded<Static<S>> => {
    const checked = validate(value)
    return checked.ok ? { ok: true, event: checked.value } : { ok: false, reason: summary(checked.problems) }
  }
  return {
    version,
    read,
    encode(event) {
      const checked = read(event)
      if (!checked.ok) throw new TypeError(`event breaks its schema: ${checked.reason}`)
      return Buffer.from(JSON.stringify(event))
    },
    decode: (value) => decodeWith(value, read),
  }
}

function twoSchemas<Current, Previous>(of: {
  current: Codec<Current>
  previous: Codec<Previous>
  toPrevious(event: Current): Previous
  toCurrent(event: Previous): Current
}): TwoSchemaCodec<Current> {
  const { current, previous } = of
  return {
    versionOf: (schema) => of[schema].version,
    encode: (event, schema) => (schema === 'current' ? current.encode(event) : previous.encode(of.toPrevious(event))),
    decode: (value) =>
      decodeWith(value, (parsed) => {
        if (versionIn(parsed) !== previous.version) return current.read(parsed)
        const read = previous.read(parsed)
        return read.ok ? { ok: true, event: of.toCurrent(read.event) } : read
      }),
  }
}

function decodeWith<T>(value: Buffer, read: (parsed: unknown) => Decoded<T>): Decoded<T> {
  let parsed: unknown
  try {
    parsed = JSON.parse(value.toString('utf8'))
  } catch {
    return { ok: false, reason: 'not JSON' }
  }
  return read(parsed)
}

function versionIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
}

function summary(problems: SchemaProblem[]): string {
  return problems
    .slice(0, 3)
    .map((problem) => `${problem.path} ${problem.message}`.trim())
    .join('; ')
}
