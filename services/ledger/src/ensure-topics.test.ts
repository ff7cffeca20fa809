import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TOPIC_SPECS } from '@turnpike/contracts'
import { openTopicAdmin, type TopicAdmin } from '@turnpike/kafka'
import { type AddressByPart, type PartHandle, startPart } from '@turnpike/local'
import { createLogger } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planTopics, topicsOf } from './topic-plan.ts'

const unset = { partitions: new Map<string, number>(), replicationFactor: undefined, minInsyncReplicas: undefined }

describe('the topics of an installation', () => {
  it('have the partitions and the retention of contracts, room for the largest event, and the replication that is asked for', () => {
    const topics = topicsOf({ ...unset, partitions: new Map([['jobs.text', 24]]), replicationFactor: 3, minInsyncReplicas: 2 })
    expect(topics.map(({ topic }) => topic)).toEqual(TOPIC_SPECS.map(({ topic }) => topic))
    expect(topics.find(({ topic }) => topic === 'jobs.text')).toEqual({
      topic: 'jobs.text',
      partitions: 24,
      replicationFactor: 3,
      config: {
        'cleanup.policy': 'delete',
        'retention.ms': '21600000',
        'segment.ms': '3600000',
        'max.message.bytes': '2097152',
        'min.insync.replicas': '2',
      },
    })
    expect(topics.find(({ topic }) => topic === 'jobs.media')?.partitions).toBe(6)
  })

  it('are refused under a name that there is not', () => {
    expect(() => topicsOf({ ...unset, partitions: new Map([['jobs.txt', 6]]) })).toThrow('there is no topic jobs.txt')
  })

  it('are never made smaller, and what somebody set otherwise is said and left', () => {
    const [text, media] = topicsOf({ ...unset, partitions: new Map([['jobs.media', 12]]) })
    if (text === undefined || media === undefined) throw new Error('there are job topics')
    const plan = planTopics(
      [text, media],
      [
        { topic: 'jobs.text', partitions: 9, config: { ...text.config, 'retention.ms': '1000' } },
        { topic: 'jobs.media', partitions: 6, config: media.config },
      ],
    )
    expect(plan).toEqual({
      create: [],
      grow: [{ topic: 'jobs.media', partitions: 12 }],
      differences: ['jobs.text has 9 partitions, not 6', 'jobs.text has retention.ms=1000, not 21600000'],
    })
  })
})

describe('the program', () => {
  let dir: string
  let kafka: PartHandle & AddressByPart['kafka']
  let admin: TopicAdmin

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'turnpike-topics-'))
    kafka = await startPart('kafka', { dir })
    const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
    admin = openTopicAdmin({ brokers: kafka.brokers, clientId: 'test', logger })
  })
  afterAll(async () => {
    await admin?.close()
    await kafka?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  const run = async (env: Record<string, string>) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'ensure-topics.ts')], {
      env: { PATH: process.env.PATH, KAFKA_BROKERS: kafka.brokers.join(','), ...env },
    })
    return stdout.trim().split('\n')
  }

  it('adds what is missing to the topics of a running installation, and says what it left', async () => {
    // The part has made its own topics, as those of a small installation.
    const lines = await run({ TOPIC_PARTITIONS: '{"jobs.text": 8}', TOPIC_MIN_INSYNC_REPLICAS: '2' })
    expect(lines).toContain('jobs.text has 8 partitions now')
    expect(lines).toContain('left as it is: jobs.media has min.insync.replicas=1, not 2')
    expect(lines.at(-1)).toBe(`all ${TOPIC_SPECS.length} topics are there`)
    expect(await admin.existing(['jobs.text', 'nobody'])).toMatchObject([{ topic: 'jobs.text', partitions: 8 }])

    expect((await run({ TOPIC_PARTITIONS: '{"jobs.text": 8}' })).filter((line) => line.includes('now'))).toEqual([])
  })

  it('fails with one sentence on settings that make no sense', async () => {
    const failed = run({ TOPIC_PARTITIONS: '{"jobs.text": 0}' })
    await expect(failed).rejects.toThrow('TOPIC_PARTITIONS is not usable: jobs.text must have a whole number of partitions')
  })
})
