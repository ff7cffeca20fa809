import { openParallelConsumer } from '../parallel-consumer.ts'
import { openPublisher } from '../publisher.ts'
import { testLogger } from './quiet-logger.ts'

// A consumer in a process of its own, to be killed: prints a line when it is in the group, and one per message that it finished.
const [brokers = '', groupId = '', topic = ''] = process.argv.slice(2)
const connection = { brokers: brokers.split(','), clientId: 'consumer-process', logger: testLogger }
const publisher = await openPublisher(connection)
await openParallelConsumer({
  ...connection,
  groupId,
  topics: [topic],
  concurrency: 20,
  deadLetter: { publisher },
  handler: async ({ key }) => {
    // Only what was written counts as handled.
    await new Promise<void>((resolve) => process.stdout.write(`finished ${key}\n`, () => resolve()))
  },
})
process.stdout.write('joined\n')
