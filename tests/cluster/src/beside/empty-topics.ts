import { Kafka, logLevel } from 'kafkajs'

/** Deletes every topic: nobody may use the broker yet. */
export async function emptyTopics(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({ clientId: 'cluster-tests', brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'))
    if (topics.length > 0) await admin.deleteTopics({ topics })
  } finally {
    await admin.disconnect()
  }
}
