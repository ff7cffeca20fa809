import { integer, json, KAFKA_VARIABLES, loadConfig, optional } from '@turnpike/service'

export const TOPICS_CONFIG = {
  ...KAFKA_VARIABLES,
  /** A JSON object of partitions by topic, where they are not those of a small installation. */
  partitions: json('TOPIC_PARTITIONS', parsePartitions, { default: new Map() }),
  /** The broker's own when unset. */
  replicationFactor: optional(integer('TOPIC_REPLICATION_FACTOR', { min: 1, max: 32 })),
  minInsyncReplicas: optional(integer('TOPIC_MIN_INSYNC_REPLICAS', { min: 1, max: 32 })),
}

/** The environment of ensure-topics: the only place that names it. Throws ConfigError. */
export function topicsConfig(service: string) {
  return loadConfig(service, TOPICS_CONFIG, process.env)
}

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
