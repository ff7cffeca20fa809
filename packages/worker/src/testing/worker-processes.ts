import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadLetterTopic, type JobEvent, jobCodec, type OutcomeEvent, outcomeCodec, type Topic } from '@turnpike/contracts'
import { type ConsumedMessage, openParallelConsumer, openPublisher, openTopicAdmin } from '@turnpike/kafka'
import { startPart } from '@turnpike/local'
import { createLogger } from '@turnpike/service'
import { CONTENT_KEYS } from './build-job.ts'
import { startTestParts, type TestParts } from './test-parts.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

export type WorkerProcesses = Pick<TestParts, 'store' | 'redis'> & {
  publish(key: string, value: Buffer): Promise<void>
  admit(job: JobEvent): Promise<void>
  outcomesOf(job: JobEvent): OutcomeEvent[]
  deadLetters: readonly ConsumedMessage[]
  /** Jobs of the topic that the workers have not finished. */
  lag(): Promise<number>
  start(changes?: Record<string, string>): Promise<WorkerProcess>
  /** The worker of the test before, if it still lives: to start one takes seconds of a processor. */
  running(): Promise<WorkerProcess>
  killAll(): Promise<void>
  /** Workers, then everything. */
  close(): Promise<void>
}

/** A worker service as processes of its own (`main` is the path of its main.ts), against a real broker, Redis and object store. */
export async function openWorkerProcesses(options: {
  service: string
  topic: Topic
  main: string
  /** Besides the addresses of those three. */
  env: Record<string, string>
}): Promise<WorkerProcesses> {
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    return { ...(await open(options, closers)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function open(
  { service, topic, main, env: own }: Parameters<typeof openWorkerProcesses>[0],
  closers: (() => unknown)[],
): Promise<Omit<WorkerProcesses, 'close'>> {
  const outcomes: OutcomeEvent[] = []
  const deadLetters: ConsumedMessage[] = []
  const workers: WorkerProcess[] = []
  async function begin<T>(starting: Promise<T>, end: (part: T) => unknown): Promise<T> {
    const part = await starting
    closers.push(() => end(part))
    return part
  }

  const dir = await mkdtemp(join(tmpdir(), 'turnpike-worker-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  const [parts, kafka] = await Promise.all([
    begin(startTestParts(), (each) => each.close()),
    begin(startPart('kafka', { dir: join(dir, 'kafka') }), (part) => part.stop()),
  ])
  const connection = { ...kafka, clientId: 'test', logger: createLogger({ service: 'test', format: 'json', level: 'silent' }) }
  const publisher = await begin(openPublisher(connection), (each) => each.close())
  const admin = openTopicAdmin(connection)
  closers.push(() => admin.close())
  const observing = openParallelConsumer({
    ...connection,
    groupId: `observer-${randomUUID()}`,
    topics: ['outcomes', deadLetterTopic(topic)],
    concurrency: 8,
    deadLetter: { publisher },
    handler: async (message) => {
      if (message.topic !== 'outcomes') return void deadLetters.push(message)
      const decoded = outcomeCodec.decode(message.value)
      if (!decoded.ok) throw new Error(decoded.reason)
      outcomes.push(decoded.event)
    },
  })
  await begin(observing, (observer) => observer.drain(1_000))

  const env = {
    ...parts.env,
    KAFKA_BROKERS: kafka.brokers.join(','),
    CONTENT_KEYS,
    EXECUTION_LEASE_MS: '2000',
    ...own,
  }
  closers.push(async () => {
    for (const worker of workers) await worker.terminate()
  })
  async function start(changes: Record<string, string> = {}): Promise<WorkerProcess> {
    const worker = await startWorkerProcess(main, { ...env, ...changes })
    workers.push(worker)
    return worker
  }
  const publish = (key: string, value: Buffer) => publisher.publish({ topic, key, value, headers: { 'schema-version': '1' } })
  return {
    store: parts.store,
    redis: parts.redis,
    publish,
    admit: (job) => publish(job.jobId, jobCodec.encode(job)),
    outcomesOf: (job) => outcomes.filter(({ jobId }) => jobId === job.jobId),
    deadLetters,
    lag: () => admin.lag(service, topic),
    start,
    running: async () => workers.find((worker) => worker.isAlive()) ?? (await start()),
    async killAll() {
      for (const worker of workers.splice(0)) await worker.kill()
    },
  }
}
