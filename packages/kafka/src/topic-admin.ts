import { setTimeout as wait } from 'node:timers/promises'
import type { Admin, ConfigResourceTypes } from 'kafkajs'
import { type KafkaConnection, kafkaClient } from './connection.ts'

export type TopicSpec = { topic: string; partitions: number; replicationFactor?: number; config?: Record<string, string> }

/** Node finds no enumeration among the exports of this CommonJS package. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2

export type ExistingTopic = { topic: string; partitions: number; config: Readonly<Record<string, string>> }

export type TopicAdmin = {
  /** Creates the topics that are missing and waits until they have leaders. Those that exist stay as they are. */
  ensureTopics(specs: readonly TopicSpec[]): Promise<void>
  /** Those of `topics` that exist, each with its partitions and all of its settings. */
  existing(topics: readonly string[]): Promise<readonly ExistingTopic[]>
  /** Kafka only ever adds partitions. New keys go to other ones then, which whoever relies on order per key must know. */
  growTo(sizes: readonly { topic: string; partitions: number }[]): Promise<void>
  /** Messages of the topic that the group has not committed. */
  lag(groupId: string, topic: string): Promise<number>
  close(): Promise<void>
}

/** Connects on first use, and anew after a fault: an admin client that used a deleted topic does not recover. */
export function openTopicAdmin(connection: KafkaConnection): TopicAdmin {
  let connecting: Promise<Admin> | undefined

  async function connect(): Promise<Admin> {
    const admin = kafkaClient(connection, { retries: 4, requestTimeoutMs: 5_000 }).admin()
    await admin.connect()
    return admin
  }

  async function disconnect(): Promise<void> {
    const left = connecting
    connecting = undefined
    await left?.then((admin) => admin.disconnect()).catch(() => {})
  }

  async function use<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    connecting ??= connect()
    try {
      return await work(await connecting)
    } catch (error) {
      await disconnect()
      throw error
    }
  }

  return {
    ensureTopics: (specs) =>
      use(async (admin) => {
        const existing = new Set(await admin.listTopics())
        const missing = specs.filter(({ topic }) => !existing.has(topic))
        if (missing.length === 0) return
        await admin.createTopics({
          // kafkajs's own waiting takes "unknown topic" for final, which is what a broker says until it has heard of its topic.
          waitForLeaders: false,
          topics: missing.map(({ topic, partitions, replicationFactor = 1, config = {} }) => ({
            topic,
            numPartitions: partitions,
            replicationFactor,
            configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
          })),
        })
        await untilLed(
          admin,
          missing.map(({ topic }) => topic),
        )
      }),
    existing: (topics) =>
      use(async (admin) => {
        const there = new Set(await admin.listTopics())
        const asked = topics.filter((topic) => there.has(topic))
        if (asked.length === 0) return []
        const [metadata, described] = await Promise.all([
          admin.fetchTopicMetadata({ topics: asked }),
          admin.describeConfigs({
            includeSynonyms: false,
            resources: asked.map((name) => ({ type: TOPIC_RESOURCE, name })),
          }),
        ])
        return metadata.topics.map(({ name, partitions }) => {
          const entries = described.resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? []
          const config = Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))
          return { topic: name, partitions: partitions.length, config }
        })
      }),
    growTo: (sizes) =>
      use(async (admin) => {
        if (sizes.length === 0) return
        await admin.createPartitions({
          topicPartitions: sizes.map(({ topic, partitions }) => ({ topic, count: partitions })),
        })
        await untilLed(
          admin,
          sizes.map(({ topic }) => topic),
        )
      }),
    lag: (groupId, topic) =>
      use(async (admin) => {
        const [ends, groups] = await Promise.all([
          admin.fetchTopicOffsets(topic),
          admin.fetchOffsets({ groupId, topics: [topic] }),
        ])
        const committed = new Map(
          groups.flatMap((group) => group.partitions.map(({ partition, offset }) => [partition, BigInt(offset)])),
        )
        const behind = ends.map(({ partition, high, low }) => {
          const offset = committed.get(partition) ?? -1n
          // A partition without a commit reads -1: all of it is ahead.
          const from = offset < BigInt(low) ? BigInt(low) : offset
          return BigInt(high) - from
        })
        return Number(behind.reduce((sum, count) => sum + (count > 0n ? count : 0n), 0n))
      }),
    close: disconnect,
  }
}

async function untilLed(admin: Admin, topics: string[]): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      const metadata = await admin.fetchTopicMetadata({ topics })
      if (metadata.topics.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0)))
        return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    if (performance.now() > deadline) throw new Error(`no leaders within 10 s for ${topics.join(', ')}`)
    await wait(50)
  }
}
