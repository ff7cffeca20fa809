import { randomUUID } from 'node:crypto'
import { type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec, sealedFor, sha256Hex } from '@turnpike/contracts'
import type { ConsumedMessage, MessageToPublish } from '@turnpike/kafka'
import { open } from '@turnpike/sealing'
import { createLogger, createMetrics } from '@turnpike/service'
import { type ObjectStore, unpackContent } from '@turnpike/storage'
import { type CompleteDeps, completeJobs } from '../complete-jobs.ts'
import { workerMetrics } from '../worker-metrics.ts'
import { KEYRING } from './build-job.ts'
import type { TestParts } from './test-parts.ts'

export type TestWorker = {
  deps: CompleteDeps
  published: MessageToPublish[]
  outcomes(): OutcomeEvent[]
  handle(job: JobEvent): Promise<void>
}

/** A worker with a publisher that keeps what it was given, and fails as often as it is told. */
export function testWorker(
  parts: Pick<TestParts, 'store' | 'claims'>,
  changes: Partial<CompleteDeps> & Pick<CompleteDeps, 'execute'> & { publishFailures?: number },
): TestWorker {
  const { publishFailures = 0, ...rest } = changes
  const published: MessageToPublish[] = []
  let failuresLeft = publishFailures
  const deps: CompleteDeps = {
    store: parts.store,
    keyring: KEYRING,
    claims: parts.claims,
    publisher: {
      async publish(message) {
        failuresLeft -= 1
        if (failuresLeft >= 0) throw new Error('the broker is away')
        published.push(message)
      },
    },
    eventSchema: 'current',
    metrics: workerMetrics(createMetrics(`test-${randomUUID()}`)),
    logger: createLogger({ service: 'test', format: 'json', level: 'silent' }),
    now: Date.now,
    owner: randomUUID(),
    leaseMs: 15_000,
    ...rest,
  }
  const handler = completeJobs(deps)
  return {
    deps,
    published,
    outcomes: () =>
      published.map(({ value }) => {
        const decoded = outcomeCodec.decode(value)
        if (!decoded.ok) throw new Error(decoded.reason)
        return decoded.event
      }),
    handle: (job) => handler(messageOf(jobCodec.encode(job)), { signal: new AbortController().signal, attempt: 1 }),
  }
}

export const messageOf = (value: Buffer): ConsumedMessage => ({
  topic: 'jobs.test',
  partition: 0,
  offset: 0n,
  key: null,
  value,
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  timestampMs: 0,
})

/** The plain body of a succeeded outcome. Throws when it is none, or when its bytes are not those that the outcome states. */
export async function bodyOf(store: ObjectStore, outcome: OutcomeEvent | undefined): Promise<Record<string, unknown>> {
  if (outcome?.kind !== 'succeeded') throw new Error(`not succeeded: ${JSON.stringify(outcome)}`)
  const plain = open(KEYRING, await unpackContent(store, outcome.result.body), sealedFor.result(outcome.jobId))
  if (sha256Hex(plain) !== outcome.result.sha256 || plain.length !== outcome.result.bytes) throw new Error('another body')
  return JSON.parse(plain.toString('utf8')) as Record<string, unknown>
}
