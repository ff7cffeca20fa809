import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { startPart } from './start-part.ts'

function connect(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
}

async function highWatermark(brokers: readonly string[], topic: string): Promise<number> {
  const admin = connect(brokers).admin()
  await admin.connect()
  const offsets = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  return offsets.reduce((sum, { high }) => sum + Number(high), 0)
}

describe('kafka', () => {
  it('has the topics of the stack', async () => {
    using folder = scratchFolder()
    const part = await startPart('kafka', { dir: folder.path })
    const admin = connect(part.brokers).admin()
    await admin.connect()
    const { topics } = await admin.fetchTopicMetadata({ topics: [] })
    await admin.disconnect()
    const partitions = Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]))
    expect(partitions).toMatchObject({
      ...{ 'jobs.text': 6, 'jobs.media': 6, 'jobs.transcription': 6, outcomes: 6, commits: 3 },
      ...{ 'jobs.text.dead': 1, 'jobs.media.dead': 1, 'jobs.transcription.dead': 1, 'outcomes.dead': 1, 'commits.dead': 1 },
    })
    await part.stop()
  })

  it('forgets records by their age under light traffic too', async () => {
    using folder = scratchFolder()
    const part = await startPart('kafka', { dir: folder.path })
    const admin = connect(part.brokers).admin()
    await admin.connect()
    const { topics } = await admin.fetchTopicMetadata({ topics: [] })
    const names = topics.map(({ name }) => name).filter((name) => !name.startsWith('__'))
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
    })
    await admin.disconnect()
    expect(resources).toHaveLength(10)
    for (const { resourceName, configEntries } of resources) {
      const setting = (name: string) => Number(configEntries.find(({ configName }) => configName === name)?.configValue)
      const hours = (ms: number) => ms / 3_600_000
      // A segment goes as a whole, when its youngest record is old enough.
      expect(hours(setting('segment.ms')), resourceName).toBe(resourceName.endsWith('.dead') ? 24 : 1)
      expect(setting('segment.ms'), resourceName).toBeLessThan(setting('retention.ms'))
    }
    await part.stop()
  })

  it('keeps what it acknowledged through a kill, on its port', async () => {
    using folder = scratchFolder()
    const first = await startPart('kafka', { dir: folder.path })
    const producer = connect(first.brokers).producer({ idempotent: true })
    await producer.connect()
    const messages = Array.from({ length: 100 }, (_, number) => ({ key: `job-${number}`, value: 'x'.repeat(100) }))
    await producer.send({ topic: 'jobs.text', acks: -1, messages })
    await first.kill()
    await producer.disconnect().catch(() => {})
    const second = await startPart('kafka', { dir: folder.path, port: first.port })
    expect(second.brokers).toEqual(first.brokers)
    expect(await highWatermark(second.brokers, 'jobs.text')).toBe(100)
    await second.stop()
  })

  it('takes a message of more than a mebibyte', async () => {
    using folder = scratchFolder()
    const part = await startPart('kafka', { dir: folder.path })
    const producer = connect(part.brokers).producer({ idempotent: true })
    await producer.connect()
    await producer.send({ topic: 'outcomes', acks: -1, messages: [{ value: Buffer.alloc(1_500_000, 7) }] })
    await producer.disconnect()
    expect(await highWatermark(part.brokers, 'outcomes')).toBe(1)
    await part.stop()
  })
})
