import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KAFKA_RIGHTS } from '@turnpike/access'
import { deadLetterTopic, JOB_TOPICS, TOPICS } from '@turnpike/contracts'
import { type AddressByPart, newAuthority, type PartHandle, startPart } from '@turnpike/local'
import { KAFKA_VARIABLES, kafkaWire, loadConfig } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openParallelConsumer } from './parallel-consumer.ts'
import { openPublisher } from './publisher.ts'
import { testLogger } from './testing/quiet-logger.ts'
import { openTopicAdmin } from './topic-admin.ts'

// A broker as production has it: TLS, SCRAM, and rights per principal. What services open here, they open as there: from variables.
let broker: AddressByPart['kafka'] & PartHandle
let dir: string
let strangersCa: string
type Service = 'gateway' | 'text-worker' | 'media-worker' | 'transcription-worker' | 'ledger'
const passwords = () => broker.guarded?.passwords ?? fail()
const topics = [...Object.values(TOPICS), ...Object.values(TOPICS).map(deadLetterTopic)]

beforeAll(async () => {
  const authority = await newAuthority()
  strangersCa = (await newAuthority()).ca
  dir = await mkdtemp(join(tmpdir(), 'turnpike-kafka-'))
  broker = await startPart('kafka', { dir, guard: await authority.issue('kafka') })
})
afterAll(async () => {
  await broker?.stop()
  await rm(dir, { recursive: true, force: true })
})

function fail(): never {
  throw new Error('the broker has no accounts')
}

function connectionOf(service: keyof typeof KAFKA_RIGHTS, changes: Record<string, string> = {}) {
  const env = {
    KAFKA_BROKERS: broker.brokers.join(','),
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA: broker.guarded?.ca ?? '',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: service,
    KAFKA_SASL_PASSWORD: passwords()[service],
    ...changes,
  }
  return { ...kafkaWire(service, loadConfig(service, KAFKA_VARIABLES, env)), clientId: service, logger: testLogger }
}

describe('a connection', () => {
  it('is made with the right authority and password', async () => {
    const publisher = await openPublisher(connectionOf('gateway'))
    expect(publisher.state()).toBe('up')
    await publisher.close()
  })

  // All at once: each waits for as long as a service would at its start.
  it('is not made to a broker that another authority vouches for, nor without TLS, a name or the password, and says which it is', async () => {
    const { sasl: _, ...anonymous } = connectionOf('gateway')
    const wrong = await Promise.allSettled(
      [
        connectionOf('gateway', { KAFKA_TLS_CA: strangersCa }),
        connectionOf('gateway', { KAFKA_SASL_PASSWORD: 'a-wrong-one' }),
        connectionOf('gateway', { KAFKA_SASL_USERNAME: 'nobody' }),
        connectionOf('gateway', { KAFKA_SASL_MECHANISM: 'plain' }),
        connectionOf('gateway', { KAFKA_TLS: 'off', KAFKA_TLS_CA: '' }),
        anonymous,
      ].map((connection) => openPublisher({ ...connection, startTimeoutMs: 10_000 })),
    )
    const messages = wrong.map((result) => (result.status === 'rejected' ? String(result.reason.message) : 'connected'))
    const refused =
      'no Kafka broker answered within 10000 ms. Kafka refuses KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD or KAFKA_SASL_MECHANISM.'
    expect(messages).toEqual([
      'no Kafka broker answered within 10000 ms. The certificate of Kafka is not signed by an authority that is trusted here: see KAFKA_TLS_CA.',
      refused,
      refused,
      refused,
      'no Kafka broker answered within 10000 ms',
      'no Kafka broker answered within 10000 ms',
    ])
  })
})

describe('rights', () => {
  it('let every service publish what it publishes and nothing else', async () => {
    const services = ['gateway', 'text-worker', 'media-worker', 'transcription-worker', 'ledger'] as const
    const published = await Promise.all(services.map(publishedBy))
    expect(Object.fromEntries(services.map((service, index) => [service, published[index]]))).toEqual({
      gateway: [...JOB_TOPICS].sort(),
      'text-worker': ['jobs.text.dead', 'outcomes'],
      'media-worker': ['jobs.media.dead', 'outcomes'],
      'transcription-worker': ['jobs.transcription.dead', 'outcomes'],
      ledger: ['commits', ...[...JOB_TOPICS, TOPICS.outcomes].map(deadLetterTopic)].sort(),
    })
  })

  it.each([
    ['text-worker', [TOPICS.textJobs]],
    ['media-worker', [TOPICS.mediaJobs]],
    ['transcription-worker', [TOPICS.transcriptionJobs]],
    ['ledger', [...JOB_TOPICS, TOPICS.outcomes]],
  ] as const)('let the %s read its topics as its group', async (service, own) => {
    const consumer = await consumerOf(service, service, own)
    expect(consumer.state()).toBe('up')
  })

  it('let no worker read what another one does, nor in another one’s name', async () => {
    const refused = await Promise.allSettled([
      consumerOf('text-worker', 'text-worker', [TOPICS.mediaJobs], REFUSED),
      consumerOf('text-worker', 'media-worker', [TOPICS.textJobs], REFUSED),
      consumerOf('gateway', 'gateway', [TOPICS.textJobs], REFUSED),
    ])
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  })

  it('let nobody but the maker of topics make one', async () => {
    const admin = openTopicAdmin(connectionOf('ledger'))
    onTestFinished(() => admin.close())
    await expect(admin.ensureTopics([{ topic: 'jobs.more', partitions: 1 }])).rejects.toThrow()
    const maker = openTopicAdmin(connectionOf('topics'))
    onTestFinished(() => maker.close())
    await maker.ensureTopics([{ topic: TOPICS.textJobs, partitions: 1 }])
    expect((await maker.existing([TOPICS.textJobs])).length).toBe(1)
    await expect(maker.ensureTopics([{ topic: 'another', partitions: 1 }])).rejects.toThrow()
  })

  it('let whoever scales the workers see their lag', async () => {
    const admin = openTopicAdmin(connectionOf('keda'))
    onTestFinished(() => admin.close())
    expect(await admin.lag('text-worker', TOPICS.textJobs)).toBeGreaterThanOrEqual(0)
    await expect(admin.lag('ledger', TOPICS.outcomes)).rejects.toThrow()
  })
})

/** Which of all topics took a message of it. A refusal waits for its deadline, what may be published has all the time it needs. */
async function publishedBy(service: Service): Promise<string[]> {
  const publisher = await openPublisher({ ...connectionOf(service), sendTimeoutMs: 1_000 })
  onTestFinished(() => publisher.close())
  const own = (KAFKA_RIGHTS[service] ?? []).filter(({ operations }) => operations.includes('WRITE')).map(({ name }) => name)
  const message = { key: 'k', value: Buffer.from('{}'), headers: {} }
  const results = await Promise.allSettled(
    topics.map((topic) => publisher.publish({ topic, ...message }, { deadlineMs: own.includes(topic) ? 60_000 : 3_000 })),
  )
  return topics.filter((_topic, index) => results[index]?.status === 'fulfilled').sort()
}

/** A refusal is known when the time to start is over. */
const REFUSED = { startTimeoutMs: 3_000 }

async function consumerOf(service: Service, groupId: string, own: readonly string[], limits: { startTimeoutMs?: number } = {}) {
  const connection = connectionOf(service)
  const publisher = await openPublisher(connection)
  onTestFinished(() => publisher.close())
  const consumer = await openParallelConsumer({
    ...connection,
    groupId,
    topics: own,
    concurrency: 4,
    handler: async () => {},
    deadLetter: { publisher },
    ...limits,
  })
  onTestFinished(async () => void (await consumer.drain(2_000)))
  return consumer
}
