import { randomUUID } from 'node:crypto'
import { deadLetterTopic, TOPICS } from '@turnpike/contracts'
import { until } from '@turnpike/testing'
import { Kafka, logLevel } from 'kafkajs'

export type OutcomesSeen = {
  /** Outcomes by the version in their header. */
  versions: Readonly<Record<string, number>>
  /** Messages in any dead-letter topic. */
  deadLetters: number
}

const READ_MS = 60_000

/** Reads the whole topic of outcomes, as somebody who is no member of any group of ours. */
export async function countOutcomes(brokers: readonly string[]): Promise<OutcomesSeen> {
  const kafka = new Kafka({ clientId: 'cluster-tests', brokers: [...brokers], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  const groupId = `cluster-tests-${randomUUID()}`
  const consumer = kafka.consumer({ groupId })
  try {
    const ends = new Map((await admin.fetchTopicOffsets(TOPICS.outcomes)).map(({ partition, high }) => [partition, BigInt(high)]))
    let deadLetters = 0
    for (const topic of Object.values(TOPICS)) deadLetters += await messagesIn(admin, deadLetterTopic(topic))
    const versions: Record<string, number> = {}
    const left = new Set([...ends].filter(([, high]) => high > 0n).map(([partition]) => partition))
    await consumer.connect()
    await consumer.subscribe({ topic: TOPICS.outcomes, fromBeginning: true })
    await consumer.run({
      eachMessage: async ({ partition, message }) => {
        const high = ends.get(partition) ?? 0n
        if (BigInt(message.offset) >= high) return
        const version = String(message.headers?.['schema-version'] ?? 'none')
        versions[version] = (versions[version] ?? 0) + 1
        if (BigInt(message.offset) === high - 1n) left.delete(partition)
      },
    })
    await until('every outcome was read', () => left.size === 0, READ_MS)
    return { versions, deadLetters }
  } finally {
    await consumer.disconnect()
    await admin.deleteGroups([groupId]).catch(() => {})
    await admin.disconnect()
  }
}

type Admin = ReturnType<Kafka['admin']>

async function messagesIn(admin: Admin, topic: string): Promise<number> {
  const offsets = await admin.fetchTopicOffsets(topic)
  return offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0)
}

/** What was written between two counts. */
export function writtenBetween(before: OutcomesSeen, after: OutcomesSeen): Readonly<Record<string, number>> {
  const versions = new Set([...Object.keys(before.versions), ...Object.keys(after.versions)])
  return Object.fromEntries(
    [...versions].sort().map((version) => [`v${version}`, (after.versions[version] ?? 0) - (before.versions[version] ?? 0)]),
  )
}
