import { currentTraceparent, inSpan } from '@turnpike/telemetry/tracing'
import { type BrokerState, openBrokerProbe } from './broker-probe.ts'
import type { KafkaConnection } from './connection.ts'
import { type MessageHeaders, traceparentHeader } from './headers.ts'
import { connectIdempotentProducer, type IdempotentProducer } from './idempotent-producer.ts'
import { PublishError } from './publish-error.ts'
import { openPublishLane, type PublishLane, type QueuedMessage } from './publish-lane.ts'

export type MessageToPublish = { topic: string; key: string; value: Buffer; headers: MessageHeaders }

export type Publisher = {
  /**
   * Resolves when all in-sync replicas have the message; it may then be stored more than once. Rejects with PublishError and
   * nothing else: see its codes for what is certain.
   */
  publish(message: MessageToPublish, options?: { deadlineMs?: number }): Promise<void>
  /** Whether a broker answered the last time it was asked, about a second ago. */
  state(): BrokerState
  /** Accepted and not settled, those that are being sent included. */
  queued(): { messages: number; bytes: number }
  /** Takes no more, waits until everything accepted is settled (each has its deadline), disconnects. */
  close(): Promise<void>
}

export type PublisherOptions = KafkaConnection & {
  /** How long one publish may take, retries and waiting included. */
  deadlineMs?: number
  maxQueuedMessages?: number
  maxQueuedBytes?: number
  /** Messages of one batch for one partition are one record batch, which the broker's message.max.bytes (2 MiB) bounds. */
  maxBatchBytes?: number
  maxBatchMessages?: number
  maxMessageBytes?: number
  sendTimeoutMs?: number
  probeIntervalMs?: number
  /** How long opening waits for the first answer of a broker. */
  startTimeoutMs?: number
}

const defaults = {
  deadlineMs: 15_000,
  maxQueuedMessages: 10_000,
  maxQueuedBytes: 64 * 1024 * 1024,
  maxBatchBytes: 1024 * 1024,
  maxBatchMessages: 500,
  maxMessageBytes: 2 * 1024 * 1024 - 16 * 1024,
  sendTimeoutMs: 10_000,
  probeIntervalMs: 1_000,
  startTimeoutMs: 30_000,
}

// Topics are names in the code. Each has a producer of its own, so a number that grows is a mistake.
const maxTopics = 64
// Length fields, attributes, offset and timestamp deltas of one record, and its share of the batch header.
const recordOverheadBytes = 100

export async function openPublisher(options: PublisherOptions): Promise<Publisher> {
  const limits = { ...defaults, ...options }
  const probe = openBrokerProbe(options, limits.probeIntervalMs)
  try {
    await probe.firstAnswer(limits.startTimeoutMs)
  } catch (error) {
    await probe.close()
    throw error
  }
  const connect = () => connectIdempotentProducer(options)
  const publisher = createPublisher({ connect, logger: options.logger, limits })
  return {
    publish: (message, own) => traced(message, (marked) => publisher.publish(marked, own)),
    queued: publisher.queued,
    state: probe.state,
    async close() {
      await publisher.close()
      await probe.close()
    },
  }
}

type Deps = { connect: () => Promise<IdempotentProducer>; logger: KafkaConnection['logger']; limits: typeof defaults }

/** The publisher over any source of producers. */
export function createPublisher({ connect, logger, limits }: Deps): Pick<Publisher, 'publish' | 'queued' | 'close'> {
  const lanes = new Map<string, PublishLane>()
  let queuedMessages = 0
  let queuedBytes = 0
  let closed = false

  function laneOf(topic: string): PublishLane {
    const existing = lanes.get(topic)
    if (existing) return existing
    if (lanes.size >= maxTopics) throw new PublishError('publisher_overloaded', `more than ${maxTopics} topics`)
    const lane = openPublishLane({ topic, connect, logger, limits })
    lanes.set(topic, lane)
    return lane
  }

  function admit(bytes: number): void {
    if (closed) throw new PublishError('publisher_closed', 'the publisher is closed')
    if (bytes > limits.maxMessageBytes) throw new PublishError('message_too_large', `${bytes} B > ${limits.maxMessageBytes} B`)
    if (queuedMessages >= limits.maxQueuedMessages || queuedBytes + bytes > limits.maxQueuedBytes) {
      throw new PublishError('publisher_overloaded', `${queuedMessages} messages, ${queuedBytes} B are waiting`)
    }
  }

  return {
    async publish({ topic, ...message }, { deadlineMs = limits.deadlineMs } = {}) {
      const bytes = sizeOf(message)
      admit(bytes)
      const lane = laneOf(topic)
      await new Promise<void>((resolve, reject) => {
        const queued: QueuedMessage = {
          message,
          bytes,
          sent: false,
          settled: false,
          lastError: undefined,
          settle(error) {
            if (queued.settled) return
            queued.settled = true
            clearTimeout(timer)
            queuedMessages -= 1
            queuedBytes -= bytes
            if (error) reject(error)
            else resolve()
          },
        }
        const timer = setTimeout(() => queued.settle(deadlinePassed(queued, deadlineMs)), deadlineMs)
        queuedMessages += 1
        queuedBytes += bytes
        lane.push(queued)
      })
    },
    queued: () => ({ messages: queuedMessages, bytes: queuedBytes }),
    async close() {
      closed = true
      await Promise.all([...lanes.values()].map((lane) => lane.close()))
    },
  }
}

/** The next process goes on from this span; without one the headers stay as they are. */
function traced(message: MessageToPublish, publish: (message: MessageToPublish) => Promise<void>): Promise<void> {
  const { topic, headers } = message
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': topic,
  } as const
  const parent = currentTraceparent() === undefined ? { from: headers[traceparentHeader] } : {}
  return inSpan(`send ${topic}`, { kind: 'producer', attributes, ...parent }, ({ traceparent }) =>
    publish(traceparent === undefined ? message : { ...message, headers: { ...headers, [traceparentHeader]: traceparent } }),
  )
}

function deadlinePassed({ sent, lastError }: QueuedMessage, deadlineMs: number): PublishError {
  const code = sent ? 'publish_uncertain' : 'publish_unsent'
  return new PublishError(code, `not acknowledged within ${deadlineMs} ms`, { cause: lastError })
}

function sizeOf({ key, value, headers }: Omit<MessageToPublish, 'topic'>): number {
  const headerBytes = Object.entries(headers).reduce(
    (sum, [name, content]) => sum + Buffer.byteLength(name) + Buffer.byteLength(content) + 10,
    0,
  )
  return Buffer.byteLength(key) + value.byteLength + headerBytes + recordOverheadBytes
}
