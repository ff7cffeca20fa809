import { deadLetterTopic, JOB_TOPICS, TOPIC_SPECS, TOPICS } from '@turnpike/contracts'
import type { Principal } from './principals.ts'

export type KafkaRight = {
  resource: 'topic' | 'group' | 'cluster'
  /** A cluster has the one name that Kafka gives it. */
  name: string
  /** READ and WRITE include DESCRIBE. An idempotent producer needs nothing besides since Kafka 3.0. */
  operations: readonly ('READ' | 'WRITE' | 'DESCRIBE' | 'CREATE' | 'ALTER' | 'DESCRIBE_CONFIGS')[]
}

/**
 * What each principal may do in Kafka, all else being denied. Nobody deletes, and no service creates or alters: topics are made by a
 * principal of their own (`services/ledger/src/ensure-topics.ts`).
 */
export const KAFKA_RIGHTS: Readonly<Partial<Record<Principal, readonly KafkaRight[]>>> = {
  gateway: JOB_TOPICS.map((topic) => writes(topic)),
  'text-worker': worker('text-worker', TOPICS.textJobs),
  'media-worker': worker('media-worker', TOPICS.mediaJobs),
  'transcription-worker': worker('transcription-worker', TOPICS.transcriptionJobs),
  ledger: [
    { resource: 'group', name: 'ledger', operations: ['READ'] },
    ...[...JOB_TOPICS, TOPICS.outcomes].flatMap((topic) => [reads(topic), writes(deadLetterTopic(topic))]),
    writes(TOPICS.commits),
  ],
  topics: [
    ...TOPIC_SPECS.map(({ topic }) => ({
      resource: 'topic' as const,
      name: topic,
      operations: ['CREATE', 'DESCRIBE', 'ALTER', 'DESCRIBE_CONFIGS'] as const,
    })),
    describes('cluster', 'kafka-cluster'),
  ],
  keda: JOB_TOPICS.flatMap((topic) => [describes('topic', topic), describes('group', groupOf(topic))]),
}

function worker(group: string, topic: string): KafkaRight[] {
  return [
    { resource: 'group', name: group, operations: ['READ'] },
    reads(topic),
    writes(TOPICS.outcomes),
    writes(deadLetterTopic(topic)),
  ]
}

/** A worker's group is named after it: jobs.text is the text-worker's. */
function groupOf(topic: string): string {
  return `${topic.replace(/^jobs\./, '')}-worker`
}

function reads(topic: string): KafkaRight {
  return { resource: 'topic', name: topic, operations: ['READ'] }
}

function writes(topic: string): KafkaRight {
  return { resource: 'topic', name: topic, operations: ['WRITE'] }
}

function describes(resource: KafkaRight['resource'], name: string): KafkaRight {
  return { resource, name, operations: ['DESCRIBE'] }
}
