import { openTopicAdmin } from '@turnpike/kafka'
import { createLogger, kafkaWire, runService } from '@turnpike/service'
import { planTopics, topicsOf } from './topic-plan.ts'
import { topicsConfig } from './topics.config.ts'

const SERVICE = 'topics'

// node services/ledger/src/ensure-topics.ts: makes the topics that are missing and adds the partitions that are. May run at any time, as often
// as you like, as a principal that may create, describe and alter topics.
runService(async () => {
  const config = topicsConfig(SERVICE)
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
