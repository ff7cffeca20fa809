import { setTimeout as wait } from 'node:timers/promises'
import { backoffMs } from './backoff.ts'
import type { IdempotentProducer, OutgoingMessage } from './idempotent-producer.ts'
import type { Logger } from './logger.ts'
import { PublishError } from './publish-error.ts'

export type LaneLimits = {
  maxBatchBytes: number
  maxBatchMessages: number
  /** After this the producer counts as stuck, and what it was given as uncertain. */
  sendTimeoutMs: number
}

export type QueuedMessage = {
  readonly message: OutgoingMessage
  readonly bytes: number
  /** Set when it was handed to a producer for the first time: from then on it may be stored. */
  sent: boolean
  /** Resolved or rejected. A settled message is not sent again. */
  settled: boolean
  lastError: unknown
  settle(error?: PublishError): void
}

export type PublishLane = {
  push(queued: QueuedMessage): void
  /** Waits until all that was pushed is settled, then lets the producer go. */
  close(): Promise<void>
}

type Deps = { topic: string; connect: () => Promise<IdempotentProducer>; logger: Logger; limits: LaneLimits }

/**
 * One topic's way out: one producer with one send in flight; what arrives meanwhile is the next batch. Each topic has its own,
 * so that a topic that is missing holds up nothing but itself.
 */
export function openPublishLane({ topic, connect, logger, limits }: Deps): PublishLane {
  let queue: QueuedMessage[] = []
  let producer: IdempotentProducer | undefined
  let pumping = false
  let pumped: Promise<void> = Promise.resolve()
  let batchMessages = limits.maxBatchMessages

  function takeBatch(): QueuedMessage[] {
    queue = queue.filter(({ settled }) => !settled)
    let bytes = 0
    let count = 0
    for (const queued of queue) {
      if (count > 0 && (count >= batchMessages || bytes + queued.bytes > limits.maxBatchBytes)) break
      bytes += queued.bytes
      count += 1
    }
    return queue.splice(0, count)
  }

  async function send(batch: QueuedMessage[]): Promise<void> {
    producer ??= await connect()
    const unsettled = batch.filter(({ settled }) => !settled)
    for (const queued of unsettled) queued.sent = true
    await within(
      limits.sendTimeoutMs,
      producer.send(
        topic,
        unsettled.map(({ message }) => message),
      ),
    )
  }

  function giveBack(batch: QueuedMessage[], error: unknown): void {
    producer?.discard()
    producer = undefined
    const [only] = batch
    if (batch.length === 1 && only && isTooLarge(error)) {
      only.settle(new PublishError('message_too_large', `larger than ${topic} accepts`, { cause: error }))
      return
    }
    for (const queued of batch) queued.lastError = error
    queue = [...batch, ...queue]
    // One message that cannot be stored must not take its whole batch along.
    batchMessages = Math.max(1, Math.floor(batch.length / 2))
  }

  async function sendAll(): Promise<void> {
    let failures = 0
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        await send(batch)
        for (const queued of batch) queued.settle()
        failures = 0
        batchMessages = limits.maxBatchMessages
      } catch (error) {
        failures += 1
        logger.warn(
          { err: error, topic, messages: batch.length, failures },
          'publishing failed, trying again with a new producer',
        )
        giveBack(batch, error)
        await wait(backoffMs(failures, { initialMs: 50, maxMs: 500 }))
      }
    }
    // In the same turn in which the queue was found empty: what is pushed from now on must start this again.
    pumping = false
  }

  return {
    push(queued) {
      queue.push(queued)
      if (pumping) return
      pumping = true
      pumped = sendAll()
    },
    async close() {
      await pumped
      producer?.discard()
      producer = undefined
    },
  }
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no acknowledgement within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function isTooLarge(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const type = 'type' in cause ? cause.type : undefined
    if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE') return true
  }
  return false
}
