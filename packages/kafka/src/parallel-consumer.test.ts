import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deadLetterHeaders } from './dead-letter.ts'
import { openParallelConsumer, type ParallelConsumer, type ParallelConsumerOptions } from './parallel-consumer.ts'
import { PoisonMessage } from './poison-message.ts'
import { openPublisher, type Publisher } from './publisher.ts'
import { createHeldHandler } from './testing/held-handler.ts'
import { startTestBroker, type TestBroker } from './testing/test-broker.ts'
import { openTopicAdmin } from './topic-admin.ts'

let broker: TestBroker
let publisher: Publisher
let consumers: ParallelConsumer[] = []

beforeAll(async () => {
  broker = await startTestBroker()
  publisher = await openPublisher(broker.connection)
})

afterEach(async () => {
  await Promise.all(consumers.map((consumer) => consumer.drain(0)))
  consumers = []
})

afterAll(async () => {
  await publisher.close()
  await broker.remove()
})

type Changes = Partial<ParallelConsumerOptions> & Pick<ParallelConsumerOptions, 'handler' | 'topics'>

async function consume(changes: Changes): Promise<ParallelConsumer> {
  const consumer = await openParallelConsumer({
    ...broker.connection,
    groupId: `g-${randomUUID()}`,
    concurrency: 20,
    deadLetter: { publisher },
    commitIntervalMs: 20,
    maxWaitTimeMs: 50,
    ...changes,
  })
  consumers.push(consumer)
  return consumer
}

async function publishKeys(topic: string, keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => publisher.publish({ topic, key, value: Buffer.from(`value of ${key}`), headers: {} })))
}

const keysTo = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`)

/** Commits go out together, so once this group has committed a message of another topic, it has had every chance to commit others. */
async function commitOf(marker: string, groupId: string, count: number): Promise<void> {
  await publishKeys(marker, [`marker-${count}`])
  await expect.poll(() => broker.committed(groupId, marker)).toEqual([count])
}

test('commits only below what is unfinished, and everything once it is finished', async () => {
  const groupId = `g-${randomUUID()}`
  const [topic, marker] = await Promise.all([broker.createTopic(1), broker.createTopic(1)])
  const held = createHeldHandler()
  held.release('k0', 'marker-1', 'marker-2')
  await publishKeys(topic, keysTo(6))
  const consumer = await consume({ groupId, topics: [topic, marker], handler: held.handler })
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([1])

  held.release('k5', 'k3', 'k2', 'k4')
  await expect.poll(() => held.finished).toHaveLength(5)
  await commitOf(marker, groupId, 1)
  expect(await broker.committed(groupId, topic)).toEqual([1])
  expect(consumer.stats().partitions[`${topic}/0`]).toMatchObject({ uncommitted: 5, lag: 5 })

  held.release('k1')
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([6])
  expect(held.started.toSorted()).toEqual([...keysTo(6), 'marker-1'].toSorted())
})

test('never runs more than its concurrency, with thousands queued, and uses all of it', async () => {
  const topic = await broker.createTopic(6)
  await publishKeys(topic, keysTo(3_000))
  const held = createHeldHandler()
  const consumer = await consume({ topics: [topic], handler: held.handler, concurrency: 37 })
  await expect.poll(() => consumer.stats().inFlight).toBe(37)
  held.releaseAll()
  await expect.poll(() => consumer.stats().finished).toBe(3_000)
  expect(held.mostAtOnce()).toBe(37)
  expect(new Set(held.started).size).toBe(3_000)
  expect(held.started).toHaveLength(3_000)
})

test('takes from every partition when one alone could fill it', async () => {
  const topic = await broker.createTopic(2)
  const held = createHeldHandler()
  await publishKeys(topic, keysTo(500))
  const seen = new Set<number>()
  await consume({
    topics: [topic],
    concurrency: 4,
    handler: async (message, context) => {
      seen.add(message.partition)
      await held.handler(message, context)
    },
  })
  await expect.poll(() => held.started).toHaveLength(4)
  held.release(...held.started)
  await expect.poll(() => [...seen].toSorted()).toEqual([0, 1])
})

test('a message that fails for a while is tried again in place and blocks nobody, even with one slot', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(1)
  await publishKeys(topic, keysTo(50))
  const attempts: number[] = []
  const finished: string[] = []
  await consume({
    groupId,
    topics: [topic],
    concurrency: 1,
    retry: { initialMs: 50, maxMs: 100 },
    handler: async ({ key }, { attempt }) => {
      if (key === 'k0') {
        attempts.push(attempt)
        // Not before all others are done: if it blocked them, this would never end.
        if (finished.length < 49) throw new Error('not yet')
      }
      finished.push(key ?? '')
    },
  })
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([50])
  expect(finished.at(-1)).toBe('k0')
  expect(attempts.length).toBeGreaterThan(1)
  expect(attempts).toEqual(attempts.map((_, index) => index + 1))
})

test('poison goes to the dead letters with its reason and origin, and the partition goes on', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(1)
  await publisher.publish({ topic, key: 'bad', value: Buffer.from('{'), headers: { traceparent: '00-trace' } })
  await publishKeys(topic, ['good'])
  const consumer = await consume({
    groupId,
    topics: [topic],
    handler: async ({ key }) => {
      if (key === 'bad') throw new PoisonMessage('schema_invalid')
    },
  })
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([2])
  const dead = await broker.readAll(`${topic}.dead`)
  expect(dead).toHaveLength(1)
  expect(dead[0]).toMatchObject({ key: 'bad', value: Buffer.from('{') })
  expect(dead[0]?.headers).toEqual({
    traceparent: '00-trace',
    [deadLetterHeaders.reason]: 'schema_invalid',
    [deadLetterHeaders.topic]: topic,
    [deadLetterHeaders.partition]: '0',
    [deadLetterHeaders.offset]: '0',
  })
  expect(consumer.stats()).toMatchObject({ deadLettered: 1, retried: 0 })
})

test('the offset of a dead letter waits for onDeadLetter, which is tried again without the handler', async () => {
  const groupId = `g-${randomUUID()}`
  const [topic, marker] = await Promise.all([broker.createTopic(1), broker.createTopic(1)])
  const reported = Promise.withResolvers<void>()
  const reports: string[] = []
  let handled = 0
  await publishKeys(topic, ['bad'])
  await consume({
    groupId,
    topics: [topic, marker],
    retry: { initialMs: 10, maxMs: 20, maxAttempts: 2 },
    handler: async ({ key }) => {
      if (key !== 'bad') return
      handled += 1
      throw new Error('broken for good')
    },
    deadLetter: {
      publisher,
      onDeadLetter: async ({ key }, reason) => {
        reports.push(`${key}: ${reason}`)
        if (reports.length === 1) throw new Error('the outcome could not be published')
        await reported.promise
      },
    },
  })
  await expect.poll(() => reports).toHaveLength(2)
  await commitOf(marker, groupId, 1)
  expect(await broker.committed(groupId, topic)).toEqual([-1])
  expect(await broker.readAll(`${topic}.dead`)).toEqual([])

  reported.resolve()
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([1])
  expect(handled).toBe(2)
  expect(reports).toEqual(['bad: retries_exhausted', 'bad: retries_exhausted'])
  expect((await broker.readAll(`${topic}.dead`)).map(({ headers }) => headers[deadLetterHeaders.reason])).toEqual([
    'retries_exhausted',
  ])
})

test('draining lets what runs finish, commits exactly that, and leaves the rest to the next consumer', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(1)
  const held = createHeldHandler()
  await publishKeys(topic, keysTo(30))
  const consumer = await consume({ groupId, topics: [topic], handler: held.handler, concurrency: 5 })
  await expect.poll(() => held.started).toHaveLength(5)
  const drained = consumer.drain(10_000)
  expect(consumer.state()).toBe('down')
  held.releaseAll()
  expect(await drained).toEqual({ abandoned: 0 })
  expect(held.finished.toSorted()).toEqual(keysTo(5))
  expect(held.aborted).toEqual([])
  expect(await broker.committed(groupId, topic)).toEqual([5])

  const next = createHeldHandler()
  next.releaseAll()
  await consume({ groupId, topics: [topic], handler: next.handler })
  await expect.poll(() => next.finished).toHaveLength(25)
  expect(next.started.toSorted()).toEqual(keysTo(30).slice(5).toSorted())
})

test('what is unfinished when the grace period ends is aborted, not committed, and delivered again', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(1)
  const held = createHeldHandler()
  await publishKeys(topic, keysTo(5))
  const consumer = await consume({ groupId, topics: [topic], handler: held.handler })
  await expect.poll(() => held.started).toHaveLength(5)
  held.release('k0', 'k1', 'k4')
  await expect.poll(() => held.finished).toHaveLength(3)
  expect(await consumer.drain(1)).toEqual({ abandoned: 2 })
  expect(held.aborted.toSorted()).toEqual(['k2', 'k3'])
  // Too late: nobody may take this for done.
  held.releaseAll()
  expect(await broker.committed(groupId, topic)).toEqual([2])

  const next = createHeldHandler()
  next.releaseAll()
  await consume({ groupId, topics: [topic], handler: next.handler })
  await expect.poll(() => next.finished).toHaveLength(3)
  expect(next.started.toSorted()).toEqual(['k2', 'k3', 'k4'])
})

test('a stuck message holds up its partition only when as much is uncommitted as is allowed', async () => {
  const topic = await broker.createTopic(1)
  const held = createHeldHandler()
  const keys = keysTo(1_000)
  held.release(...keys.slice(1))
  let mostUncommitted = 0
  await publishKeys(topic, keys)
  const consumer = await consume({
    topics: [topic],
    // A fetch is delivered whole, and the broker hands out whole batches of the publisher (500 messages at most).
    maxBytesPerPartition: 1_024,
    maxUncommittedPerPartition: 100,
    handler: async (message, context) => {
      mostUncommitted = Math.max(mostUncommitted, consumer.stats().partitions[`${topic}/0`]?.uncommitted ?? 0)
      await held.handler(message, context)
    },
  })
  await expect.poll(() => mostUncommitted).toBeGreaterThanOrEqual(100)
  held.release('k0')
  await expect.poll(() => consumer.stats().finished).toBe(1_000)
  expect(mostUncommitted).toBeLessThan(100 + 600)
})

test('lag counts what is not committed, from the beginning for a group that has committed nothing', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(3)
  const topicAdmin = openTopicAdmin(broker.connection)
  await publishKeys(topic, keysTo(20))
  expect(await topicAdmin.lag(groupId, topic)).toBe(20)
  await consume({ groupId, topics: [topic], handler: async () => {} })
  await expect.poll(() => topicAdmin.lag(groupId, topic)).toBe(0)
  await topicAdmin.close()
})

test('a group whose place was deleted by retention goes on at the first message that is left', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(1)
  await publishKeys(topic, keysTo(3))
  const held = createHeldHandler()
  held.releaseAll()
  const consumer = await consume({ groupId, topics: [topic], handler: held.handler })
  await expect.poll(() => held.finished).toHaveLength(3)
  await consumer.drain(1_000)
  await publishKeys(topic, ['k3', 'k4', 'k5', 'k6'])
  // kafkajs's admin can delete records only of a topic that it has asked about.
  await broker.admin.fetchTopicOffsets(topic)
  await broker.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '5' }] })

  const next = createHeldHandler()
  next.releaseAll()
  await consume({ groupId, topics: [topic], handler: next.handler })
  await expect.poll(() => broker.committed(groupId, topic)).toEqual([7])
  expect(next.finished).toEqual(['k5', 'k6'])
})

test('delivers messages that are larger than a fetch may be', async () => {
  const topic = await broker.createTopic(1)
  const value = Buffer.alloc(1024 * 1024 + 7, 1)
  await Promise.all(['a', 'b', 'c'].map((key) => publisher.publish({ topic, key, value, headers: {} })))
  const sizes: number[] = []
  await consume({
    topics: [topic],
    handler: async (message) => {
      sizes.push(message.value.byteLength)
    },
  })
  await expect.poll(() => sizes).toEqual([value.byteLength, value.byteLength, value.byteLength])
})

test('opening fails with the cause when the group cannot be joined in time', async () => {
  const opening = consume({ topics: [`missing-${randomUUID()}`], handler: async () => {}, startTimeoutMs: 500 })
  await expect(opening).rejects.toThrow(/could not be joined within 500 ms/)
})
