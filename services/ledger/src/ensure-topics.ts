import { openTopicAdmin } from '@turnpike/kafka'
import { createLogger, integer, json, KAFKA_VARIABLES, kafkaWire, loadConfig, optional, runService } from '@turnpike/service'
import { planTopics, topicsOf } from './topic-plan.ts'

const SERVICE = 'topics'
const CONFIG = {
  ...KAFKA_VARIABLES,
  /** A JSON object of partitions by topic, where they are not those of a small installation. */
  partitions: json('TOPIC_PARTITIONS', parsePartitions, { default: new Map() }),
  /** The broker's own when unset. */
  replicationFactor: optional(integer('TOPIC_REPLICATION_FACTOR', { min: 1, max: 32 })),
  minInsyncReplicas: optional(integer('TOPIC_MIN_INSYNC_REPLICAS', { min: 1, max: 32 })),
}

// node services/ledger/src/ensure-topics.ts: makes the topics that are missing and adds the partitions that are. May run at any time, as often
// as you like, as a principal that may create, describe and alter topics.
runService(async () => {
  const config = loadConfig(SERVICE, CONFIG, process.env)
  const logger = createLogger({ service: SERVICE, format: 'json', level: 'warn' })
  const admin = openTopicAdmin({ ...kafkaWire(SERVICE, config), clientId: SERVICE, logger })
  try {
    const wanted = topicsOf(config)
    const plan = planTopics(wanted, await admin.existing(wanted.map(({ topic }) => topic)))
    await admin.ensureTopics(plan.create)
    await admin.growTo(plan.grow)
    for (const { topic, partitions } of plan.create) process.stdout.write(`made ${topic} with ${partitions} partitions\n`)
    for (const { topic, partitions } of plan.grow) process.stdout.write(`${topic} has ${partitions} partitions now\n`)
    for (const difference of plan.differences) process.stdout.write(`left as it is: ${difference}\n`)
    process.stdout.write(`all ${wanted.length} topics are there\n`)
  } finally {
    await admin.close()
  }
})

function parsePartitions(value: unknown): ReadonlyMap<string, number> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it must be an object')
  return new Map(
    Object.entries(value).map(([topic, partitions]: [string, unknown]) => {
      if (typeof partitions !== 'number' || !Number.isInteger(partitions) || partitions < 1 || partitions > 10_000) {
        throw new Error(`${topic.slice(0, 64)} must have a whole number of partitions from 1 to 10000`)
      }
      return [topic, partitions]
    }),
  )
}
