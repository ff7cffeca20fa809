import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPart } from '@turnpike/local'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import type { KafkaConnection } from '../connection.ts'
import { type ConsumedMessage, consumedMessage } from '../consumed-message.ts'
import { openTopicAdmin } from '../topic-admin.ts'
import { testLogger } from './quiet-logger.ts'

export type TestBroker = {
  connection: KafkaConnection
  admin: Admin
  /** A topic and its dead letters, of names that nobody else uses. */
  createTopic(partitions: number, name?: string): Promise<string>
  /** Reads the topic from its beginning to its present end. */
  readAll(topic: string): Promise<ConsumedMessage[]>
  /** By partition; -1 where nothing is committed. */
  committed(groupId: string, topic: string): Promise<number[]>
  pid(): number
  stop(): Promise<void>
  kill(): Promise<void>
  /** On its old port and data. */
  startAgain(): Promise<void>
  remove(): Promise<void>
}

/** A real broker for one test file. */
export async function startTestBroker(): Promise<TestBroker> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-kafka-'))
  let part = await startPart('kafka', { dir })
  const connection: KafkaConnection = { brokers: part.brokers, clientId: 'test', logger: testLogger }
  const kafka = new Kafka({ brokers: [...part.brokers], clientId: 'observer', logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  const topicAdmin = openTopicAdmin(connection)

  async function readAll(topic: string): Promise<ConsumedMessage[]> {
    const ends = await admin.fetchTopicOffsets(topic)
    const missing = new Map(
      ends.filter(({ high, low }) => BigInt(high) > BigInt(low)).map(({ partition, high }) => [partition, BigInt(high)]),
    )
    const messages: ConsumedMessage[] = []
    if (missing.size === 0) return messages
    const consumer = kafka.consumer({ groupId: `observer-${randomUUID()}`, maxWaitTimeInMs: 50 })
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart) reject(payload.error)
      })
      consumer
        .run({
          autoCommit: false,
          eachMessage: async ({ partition, message }) => {
            messages.push(consumedMessage({ topic, partition }, message))
            if (BigInt(message.offset) + 1n >= (missing.get(partition) ?? 0n)) missing.delete(partition)
            if (missing.size === 0) resolve()
          },
        })
        .catch(reject)
    })
    await consumer.disconnect()
    return messages
  }

  return {
    connection,
    admin,
    async createTopic(partitions, name = `t-${randomUUID()}`) {
      await topicAdmin.ensureTopics([
        { topic: name, partitions },
        { topic: `${name}.dead`, partitions: 1 },
      ])
      return name
    },
    readAll,
    async committed(groupId, topic) {
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] })
      const ordered = [...(offsets?.partitions ?? [])].sort((a, b) => a.partition - b.partition)
      return ordered.map(({ offset }) => Number(offset))
    },
    pid: () => part.pid,
    stop: () => part.stop(),
    kill: () => part.kill(),
    async startAgain() {
      part = await startPart('kafka', { dir, port: part.port })
    },
    async remove() {
      await Promise.all([admin.disconnect(), topicAdmin.close()])
      await part.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
