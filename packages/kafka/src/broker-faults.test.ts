import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openParallelConsumer, type ParallelConsumer } from './parallel-consumer.ts'
import { openPublisher, type Publisher } from './publisher.ts'
import { testLogger } from './testing/quiet-logger.ts'
import { startTestBroker, type TestBroker } from './testing/test-broker.ts'
import { openTopicAdmin } from './topic-admin.ts'

const groupId = `g-${randomUUID()}`
let broker: TestBroker
let publisher: Publisher
let consumer: ParallelConsumer
let topic: string
const handled = new Set<string>()
const warnings: string[] = []

beforeAll(async () => {
  broker = await startTestBroker()
  topic = await broker.createTopic(6)
  publisher = await openPublisher({ ...broker.connection, probeIntervalMs: 200 })
  consumer = await openParallelConsumer({
    ...broker.connection,
    groupId,
    topics: [topic],
    concurrency: 50,
    sessionTimeoutMs: 3_000,
    stuckAfterMs: 5_000,
    logger: {
      ...testLogger,
      warn(fields, message) {
        testLogger.warn(fields, message)
        warnings.push(message)
      },
    },
    deadLetter: { publisher },
    handler: async ({ key }) => {
      handled.add(key ?? '')
    },
  })
})

afterAll(async () => {
  await consumer.drain(0)
  await publisher.close()
  await broker.remove()
})

async function faultUnderLoad(fault: () => Promise<void>, repair: () => Promise<void>): Promise<void> {
  const topicAdmin = openTopicAdmin(broker.connection)
  const acknowledged: string[] = []
  let publishing = true
  const sender = async () => {
    while (publishing) {
      const key = randomUUID()
      await publisher.publish({ topic, key, value: Buffer.from(key), headers: {} }, { deadlineMs: 60_000 })
      acknowledged.push(key)
    }
  }
  const load = Promise.all([sender(), sender(), sender(), sender()])
  await expect.poll(() => handled.size).toBeGreaterThan(100)

  await fault()
  await expect.poll(() => publisher.state()).toBe('down')
  await expect.poll(() => consumer.state()).toBe('down')
  const acknowledgedBefore = acknowledged.length
  await repair()
  await expect.poll(() => publisher.state()).toBe('up')
  await expect.poll(() => consumer.state()).toBe('up')
  await expect.poll(() => acknowledged.length).toBeGreaterThan(acknowledgedBefore + 100)
  publishing = false
  await load
  await expect.poll(() => topicAdmin.lag(groupId, topic)).toBe(0)
  expect(acknowledged.filter((key) => !handled.has(key))).toEqual([])
  await topicAdmin.close()
}

test('a broker that stops and comes back costs no acknowledged message', async () => {
  await faultUnderLoad(() => broker.stop(), broker.startAgain)
})

test('a broker that is killed and comes back costs no acknowledged message', async () => {
  await faultUnderLoad(() => broker.kill(), broker.startAgain)
})

test('a broker that hangs and goes on costs no acknowledged message, and the consumer that got stuck is replaced', async () => {
  await faultUnderLoad(
    async () => {
      warnings.length = 0
      process.kill(broker.pid(), 'SIGSTOP')
    },
    async () => {
      try {
        await expect.poll(() => warnings).toContain('the consumer is replaced by a fresh one')
      } finally {
        process.kill(broker.pid(), 'SIGCONT')
      }
    },
  )
})
