import type { KafkaMessage } from 'kafkajs'
import { decodeHeaders, type MessageHeaders } from './headers.ts'
import type { TopicPartition } from './topic-partition.ts'

export type ConsumedMessage = {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  /** Empty for a message without a value. */
  readonly value: Buffer
  readonly headers: MessageHeaders
  readonly timestampMs: number
}

export function consumedMessage({ topic, partition }: TopicPartition, message: KafkaMessage): ConsumedMessage {
  return {
    topic,
    partition,
    offset: BigInt(message.offset),
    key: message.key?.toString() ?? null,
    value: message.value ?? Buffer.alloc(0),
    headers: decodeHeaders(message.headers),
    timestampMs: Number(message.timestamp),
  }
}
