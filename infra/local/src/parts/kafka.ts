import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TOPIC_SPECS } from '@turnpike/contracts'
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import { StackFailure } from '../failure.ts'
import { type KafkaSoftware, obtainKafka } from '../software/kafka.ts'
import { type GuardedAccess, keptPasswords, operator } from '../wire/accounts.ts'
import { grantKafkaRights, guardedClient, guardedSettings, scramAccounts } from '../wire/guarded-kafka.ts'
import type { Part, Site } from './part.ts'
import { keptSecret } from './secret-file.ts'

export interface KafkaAddress {
  readonly brokers: readonly string[]
  readonly guarded?: GuardedAccess
}

export const kafka: Part<KafkaSoftware, KafkaAddress> = {
  name: 'kafka',
  needsSidePort: true,
  readyTimeoutMs: 60_000,
  obtain: obtainKafka,
  prepare: async (software, site) => {
    await mkdir(site.dir, { recursive: true })
    writeFileSync(configFile(site), propertiesOf(site), { mode: 0o600 })
    if (existsSync(join(dataFolder(site), 'meta.properties'))) return
    const clusterId = keptSecret(join(site.dir, 'cluster-id.json'), () => randomBytes(16).toString('base64url'))
    const result = spawnSync(
      software.java,
      [
        ...javaOptions(software),
        'kafka.tools.StorageTool',
        'format',
        '--ignore-formatted',
        // As one word: a random id may begin with a dash.
        `--cluster-id=${clusterId}`,
        ...(site.guard === undefined ? [] : scramAccounts(site)),
        '-c',
        configFile(site),
      ],
      { encoding: 'utf8', env: { PATH: process.env.PATH } },
    )
    if (result.status !== 0) {
      const reason = `${result.stderr || result.stdout || result.error?.message}`.trim().split('\n').at(-1)
      throw new StackFailure(`Kafka cannot make its data folder in ${site.dir}: ${reason}`)
    }
  },
  command: (software, site) => ({
    program: software.java,
    args: [...javaOptions(software), 'kafka.Kafka', configFile(site)],
    env: { PATH: process.env.PATH },
    stopSignal: 'SIGTERM',
  }),
  answers: async (site) => {
    return await withAdmin(clientOf(site), async (admin) => (await admin.describeCluster()).brokers.length === 1)
  },
  fill: async (site) => {
    await makeTopics(clientOf(site))
    if (site.guard !== undefined) await withAdmin(clientOf(site), grantKafkaRights)
  },
  address: (site) => ({
    brokers: brokersOf(site),
    ...(site.guard === undefined ? {} : { guarded: { ca: site.guard.ca, passwords: keptPasswords(site.dir) } }),
  }),
}

/** Makes the topics that are missing, replicated as the broker does by default. */
async function makeTopics(client: KafkaClient): Promise<void> {
  const topics = TOPIC_SPECS.map(({ topic, partitions, retentionMs, segmentMs }) => ({
    topic,
    numPartitions: partitions,
    replicationFactor: -1,
    configEntries: [
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'segment.ms', value: String(segmentMs) },
    ],
  }))
  await withAdmin(client, async (admin) => {
    const there = new Set(await admin.listTopics())
    const missing = topics.filter(({ topic }) => !there.has(topic))
    // kafkajs's own waiting takes the "unknown topic" of a broker that has not heard of it yet for final.
    if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: false })
    for (const { topic } of topics) await untilLed(admin, topic)
  })
}

type Admin = ReturnType<Kafka['admin']>

const leaderTimeoutMs = 30_000

/** A broker that has just started names itself the leader of a partition before it is. */
async function untilLed(admin: Admin, topic: string): Promise<void> {
  const deadline = Date.now() + leaderTimeoutMs
  for (;;) {
    try {
      await admin.fetchTopicOffsets(topic)
      return
    } catch (error) {
      if (!isFromKafka(error) || Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

/** By name: Node finds no error class among the exports of this CommonJS package. */
function isFromKafka(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS')
}

function javaOptions(software: KafkaSoftware): string[] {
  return [
    ...['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xss512k', '-Xms256m', '-Xmx256m', '-Djava.awt.headless=true'],
    ...[`-Dlog4j2.configurationFile=${software.loggingConfig}`, '-cp', join(software.jars, '*')],
  ]
}

/** One node that is broker and controller. Sized for a machine with few cores; the reasons are where a value is not obvious. */
export function propertiesOf(site: Site): string {
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${site.sidePort}`,
    listeners: `PLAINTEXT://${hostOf(site)}:${site.port},CONTROLLER://127.0.0.1:${site.sidePort}`,
    'advertised.listeners': `PLAINTEXT://${hostOf(site)}:${site.port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': dataFolder(site),
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 2,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A killed broker is back when its old session has ended: 9 s here cost 12 s, and 1 s fences a starved machine's only broker.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    // A 1 MiB payload with its framing is more than the default takes.
    'message.max.bytes': 2_097_152,
    'replica.fetch.max.bytes': 2_097_152,
    'log.segment.bytes': 64 * 1024 * 1024,
    'log.retention.hours': 24,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'num.replica.fetchers': 1,
    'num.recovery.threads.per.data.dir': 1,
    'background.threads': 2,
    'log.cleaner.dedupe.buffer.size': 8_388_608,
    ...(site.guard === undefined ? {} : guardedSettings({ ...site, host: hostOf(site) }, site.guard)),
  }
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`
}

/** The brokers, and how to be let in. */
export type KafkaClient = Pick<KafkaConfig, 'ssl' | 'sasl'> & { brokers: string[] }

function clientOf(site: Site): KafkaClient {
  return { brokers: brokersOf(site), ...(site.guard === undefined ? {} : guardedClient(site, site.guard, operator)) }
}

async function withAdmin<Result>(to: KafkaClient, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const client = new Kafka({
    clientId: 'local-stack',
    ...to,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { retries: 2, initialRetryTime: 100 },
  })
  const admin = client.admin()
  try {
    await admin.connect()
    return await work(admin)
  } finally {
    await admin.disconnect().catch(() => {})
  }
}

function configFile(site: Site): string {
  return join(site.dir, 'server.properties')
}

function dataFolder(site: Site): string {
  return join(site.dir, 'data')
}

function brokersOf(site: Site): string[] {
  return [`${hostOf(site)}:${site.port}`]
}

function hostOf({ host = '127.0.0.1' }: Site): string {
  return host
}
