import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type MessageHandler, openParallelConsumer, type ParallelConsumer } from './parallel-consumer.ts'
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

async function consume(groupId: string, topic: string, handler: MessageHandler): Promise<ParallelConsumer> {
  const consumer = await openParallelConsumer({
    ...broker.connection,
    groupId,
    topics: [topic],
    concurrency: 20,
    deadLetter: { publisher },
    commitIntervalMs: 20,
    maxWaitTimeMs: 50,
    handler,
  })
  consumers.push(consumer)
  return consumer
}

const publish = (topic: string, key: string) => publisher.publish({ topic, key, value: Buffer.from(key), headers: {} })
const partitionsOf = (consumer: ParallelConsumer) => Object.keys(consumer.stats().partitions)

test('a rebalance ends nothing, starts nothing again that is running or done here, and commits nothing for what was lost', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(4)
  const places = new Map<string, number>()
  const first = createHeldHandler()
  const firstConsumer = await consume(groupId, topic, async (message, context) => {
    places.set(message.key ?? '', message.partition)
    await first.handler(message, context)
  })
  await Promise.all(Array.from({ length: 40 }, (_, index) => publish(topic, `k${index}`)))
  await expect.poll(() => first.started).toHaveLength(20)
  const startedBefore = [...first.started]
  // In each partition the lowest stays unfinished, all the others that were started are done.
  const inPartition = (partition: number) => startedBefore.filter((key) => places.get(key) === partition)
  const lowest = [0, 1, 2, 3].flatMap((partition) => inPartition(partition).slice(0, 1))
  first.release(...startedBefore.filter((key) => !lowest.includes(key)))
  await expect.poll(() => first.started.length).toBeGreaterThan(20)

  const second = createHeldHandler()
  const secondConsumer = await consume(groupId, topic, second.handler)
  await expect.poll(() => partitionsOf(firstConsumer)).toHaveLength(2)
  const kept = [0, 1, 2, 3].filter((partition) => partitionsOf(firstConsumer).includes(`${topic}/${partition}`))
  const lost = [0, 1, 2, 3].filter((partition) => !kept.includes(partition))
  expect(partitionsOf(secondConsumer).toSorted()).toEqual(lost.map((partition) => `${topic}/${partition}`).toSorted())

  first.releaseAll()
  const keptKeys = Array.from({ length: 40 }, (_, index) => `k${index}`).filter((key) => kept.includes(places.get(key) ?? -1))
  const ends = await broker.admin.fetchTopicOffsets(topic)
  const endOf = (partition: number) => Number(ends.find((end) => end.partition === partition)?.high)
  await expect
    .poll(async () => {
      const committed = await broker.committed(groupId, topic)
      return kept.map((partition) => committed[partition])
    })
    .toEqual(kept.map(endOf))
  // Everything that it had started is finished, also in the partitions that it lost, and nothing of the kept ones ran twice.
  expect(first.aborted).toEqual([])
  expect(first.finished.toSorted()).toEqual(first.started.toSorted())
  expect(first.started.filter((key) => keptKeys.includes(key)).toSorted()).toEqual(keptKeys.toSorted())
  const committed = await broker.committed(groupId, topic)
  for (const partition of lost) expect(committed[partition]).toBe(-1)

  second.releaseAll()
  await expect.poll(() => new Set([...first.finished, ...second.finished]).size).toBe(40)
})

test('consumers that come and go under load lose nothing', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(6)
  const topicAdmin = openTopicAdmin(broker.connection)
  const handled = new Set<string>()
  const handler: MessageHandler = async ({ key }) => {
    await new Promise((resolve) => setImmediate(resolve))
    handled.add(key ?? '')
  }
  const published: string[] = []
  let publishing = true
  const load = (async () => {
    while (publishing) {
      const keys = Array.from({ length: 10 }, () => randomUUID())
      await Promise.all(keys.map((key) => publish(topic, key)))
      published.push(...keys)
    }
  })()
  const first = await consume(groupId, topic, handler)
  const second = await consume(groupId, topic, handler)
  await expect.poll(() => partitionsOf(second)).toHaveLength(3)
  await first.drain(5_000)
  await expect.poll(() => partitionsOf(second)).toHaveLength(6)
  await consume(groupId, topic, handler)
  await expect.poll(() => partitionsOf(second)).toHaveLength(3)
  publishing = false
  await load
  await expect.poll(() => topicAdmin.lag(groupId, topic)).toBe(0)
  expect(published.filter((key) => !handled.has(key))).toEqual([])
  await topicAdmin.close()
})

test('after kill -9 of a consumer process under load every message is handled by somebody', async () => {
  const groupId = `g-${randomUUID()}`
  const topic = await broker.createTopic(6)
  const topicAdmin = openTopicAdmin(broker.connection)
  const handled = new Set<string>()
  const published: string[] = []
  let publishing = true
  const load = (async () => {
    while (publishing) {
      const key = randomUUID()
      await publish(topic, key)
      published.push(key)
    }
  })()
  const program = fileURLToPath(new URL('./testing/consumer-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, broker.connection.brokers.join(','), groupId, topic], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let byChild = 0
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [word, key = ''] = line.split(' ')
    if (word !== 'finished') return
    byChild += 1
    handled.add(key)
  })
  await expect.poll(() => byChild).toBeGreaterThan(200)
  child.kill('SIGKILL')
  await Promise.all([once(child, 'exit'), once(lines, 'close')])

  const heir = await consume(groupId, topic, async ({ key }) => {
    handled.add(key ?? '')
  })
  await expect.poll(() => partitionsOf(heir)).toHaveLength(6)
  publishing = false
  await load
  await expect.poll(() => topicAdmin.lag(groupId, topic)).toBe(0)
  expect(published.filter((key) => !handled.has(key))).toEqual([])
  await topicAdmin.close()
})
