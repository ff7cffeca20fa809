import { Partitioners } from 'kafkajs'
import { type KafkaConnection, kafkaClient, retryOptions } from './connection.ts'
import type { MessageHeaders } from './headers.ts'

export type OutgoingMessage = { key: string; value: Buffer; headers: MessageHeaders }

export type IdempotentProducer = {
  /** Resolves when all in-sync replicas have every message. Never call it again before it is settled, nor after it rejected. */
  send(topic: string, messages: OutgoingMessage[]): Promise<void>
  discard(): void
}

const defaultRequestTimeoutMs = 5_000

/**
 * A kafkajs producer for one send at a time, to be thrown away after the first rejection.
 *
 * When a response is lost, kafkajs takes the sequence number back. Another send that uses it again is answered as a duplicate,
 * so its messages are acknowledged and stored nowhere. Inside one send the retries are safe: the same messages carry the same
 * numbers. They are bounded, because a producer that was thrown away would otherwise try for ever.
 */
export async function connectIdempotentProducer(connection: KafkaConnection): Promise<IdempotentProducer> {
  const chosenPartitions = new Set<number>()
  const choosePartition = Partitioners.DefaultPartitioner()
  const requestTimeoutMs = connection.requestTimeoutMs ?? defaultRequestTimeoutMs
  const producer = kafkaClient(connection, { retries: 2, requestTimeoutMs }).producer({
    idempotent: true,
    allowAutoTopicCreation: false,
    retry: retryOptions(2),
    createPartitioner: () => (args) => {
      const partition = choosePartition(args)
      chosenPartitions.add(partition)
      return partition
    },
  })
  const discard = () => {
    producer.disconnect().catch((error: unknown) => {
      connection.logger.debug({ err: error }, 'a discarded producer did not disconnect cleanly')
    })
  }
  try {
    await producer.connect()
  } catch (error) {
    discard()
    throw error
  }

  return {
    async send(topic, messages) {
      chosenPartitions.clear()
      const acknowledged = await producer.sendBatch({
        acks: -1,
        timeout: requestTimeoutMs,
        topicMessages: [{ topic, messages }],
      })
      // kafkajs resolves without having sent to a partition whose leader moved to a broker that had already answered,
      // or that its metadata does not know.
      const answered = new Set(acknowledged.map(({ partition }) => partition))
      const unanswered = [...chosenPartitions].filter((partition) => !answered.has(partition))
      if (unanswered.length > 0) throw new Error(`no acknowledgement from ${topic}, partitions ${unanswered.join(', ')}`)
    },
    discard,
  }
}
