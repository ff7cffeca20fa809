import { type EventSchema, type OutcomeEvent, outcomeCodec, TOPICS } from '@turnpike/contracts'
import { type MessageHeaders, type Publisher, schemaVersionHeader, traceparentHeader } from '@turnpike/kafka'

/** Resolves when the outcome is stored, perhaps more than once: the ledger takes the first per job. Rejects with PublishError. */
export async function publishOutcome(
  { publisher, eventSchema }: { publisher: Pick<Publisher, 'publish'>; eventSchema: EventSchema },
  outcome: OutcomeEvent,
  jobHeaders: MessageHeaders,
): Promise<void> {
  const traceparent = jobHeaders[traceparentHeader]
  await publisher.publish({
    topic: TOPICS.outcomes,
    key: outcome.jobId,
    value: outcomeCodec.encode(outcome, eventSchema),
    headers: {
      [schemaVersionHeader]: String(outcomeCodec.versionOf(eventSchema)),
      ...(traceparent === undefined ? {} : { [traceparentHeader]: traceparent }),
    },
  })
}
