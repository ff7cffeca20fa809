import { type AddressByPart, operator } from '@turnpike/local'
import { Kafka, logLevel } from 'kafkajs'

/** Deletes every topic: nobody may use the broker yet. */
export async function emptyTopics({ brokers, guarded }: AddressByPart['kafka']): Promise<void> {
  const login = guarded && {
    ssl: { ca: guarded.ca },
    sasl: { mechanism: 'scram-sha-512' as const, username: operator, password: guarded.passwords[operator] },
  }
  const admin = new Kafka({ clientId: 'cluster-tests', brokers: [...brokers], logLevel: logLevel.NOTHING, ...login }).admin()
  await admin.connect()
  try {
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'))
    if (topics.length > 0) await admin.deleteTopics({ topics })
  } finally {
    await admin.disconnect()
  }
}
