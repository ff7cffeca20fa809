import { JOB_TOPICS, type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec } from '@turnpike/contracts'
import { type ConsumedMessage, PoisonMessage, traceparentHeader } from '@turnpike/kafka'
import type { Delivery } from './commit-outcome.ts'
import { takeTurns } from './turns.ts'

type Deps = {
  recordJob: (job: JobEvent) => Promise<unknown>
  commitOutcome: (outcome: OutcomeEvent, delivery: Delivery) => Promise<void>
  now: () => number
}

/** One handler for all topics of the group: kafkajs assigns partitions wrongly when members of one group read different topics. */
export function handleEvent(deps: Deps): (message: ConsumedMessage, context: { attempt: number }) => Promise<void> {
  const turns = takeTurns({ now: deps.now, isOver: (error) => error instanceof PoisonMessage })
  return async (message, { attempt }) => {
    if (JOB_TOPICS.some((topic) => topic === message.topic)) {
      await deps.recordJob(decoded(jobCodec.decode(message.value)))
      return
    }
    const outcome = decoded(outcomeCodec.decode(message.value))
    await turns.take(outcome.jobId, message.offset, () =>
      deps.commitOutcome(outcome, { attempt, traceparent: message.headers[traceparentHeader] }),
    )
  }
}

function decoded<T>(result: { ok: true; event: T } | { ok: false; reason: string }): T {
  if (!result.ok) throw new PoisonMessage('schema_invalid', { cause: new Error(result.reason) })
  return result.event
}
