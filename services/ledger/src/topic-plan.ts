import { TOPIC_SPECS } from '@turnpike/contracts'
import type { ExistingTopic, TopicSpec } from '@turnpike/kafka'

/** What an operator decides: the rest stands in contracts. Absent is the broker's own default. */
export type TopicSettings = {
  partitions: ReadonlyMap<string, number>
  replicationFactor: number | undefined
  minInsyncReplicas: number | undefined
}

export type TopicPlan = {
  create: readonly TopicSpec[]
  grow: readonly { topic: string; partitions: number }[]
  /** Sentences on what exists otherwise than it would be made. An operator may have reasons, so it stays. */
  differences: readonly string[]
}

/** An event holds up to 1 MiB, and with its framing it is more than a broker takes by default. */
const MAX_MESSAGE_BYTES = 2_097_152
const BROKER_DEFAULT = -1

/** The topics of this release under the operator's settings. Throws a sentence on a topic that there is not. */
export function topicsOf({ partitions, replicationFactor, minInsyncReplicas }: TopicSettings): readonly Required<TopicSpec>[] {
  const unknown = [...partitions.keys()].filter((topic) => !TOPIC_SPECS.some((spec) => spec.topic === topic))
  if (unknown.length > 0) throw new Error(`there is no topic ${unknown.join(', ')}`)
  return TOPIC_SPECS.map((spec) => ({
    topic: spec.topic,
    partitions: partitions.get(spec.topic) ?? spec.partitions,
    replicationFactor: replicationFactor ?? BROKER_DEFAULT,
    config: {
      'cleanup.policy': 'delete',
      'retention.ms': String(spec.retentionMs),
      'segment.ms': String(spec.segmentMs),
      'max.message.bytes': String(MAX_MESSAGE_BYTES),
      ...(minInsyncReplicas === undefined ? {} : { 'min.insync.replicas': String(minInsyncReplicas) }),
    },
  }))
}

/** Nothing that exists is made smaller or set otherwise: partitions cannot be taken away, and settings may be an operator's. */
export function planTopics(wanted: readonly Required<TopicSpec>[], existing: readonly ExistingTopic[]): TopicPlan {
  const there = new Map(existing.map((topic) => [topic.topic, topic]))
  const pairs = wanted.flatMap((want) => {
    const have = there.get(want.topic)
    return have === undefined ? [] : [{ want, have }]
  })
  return {
    create: wanted.filter(({ topic }) => !there.has(topic)),
    grow: pairs
      .filter(({ want, have }) => have.partitions < want.partitions)
      .map(({ want }) => ({ topic: want.topic, partitions: want.partitions })),
    differences: pairs.flatMap(({ want, have }) => [
      ...(have.partitions > want.partitions ? [`${want.topic} has ${have.partitions} partitions, not ${want.partitions}`] : []),
      ...Object.entries(want.config)
        .filter(([name, value]) => have.config[name] !== undefined && have.config[name] !== value)
        .map(([name, value]) => `${want.topic} has ${name}=${have.config[name]}, not ${value}`),
    ]),
  }
}
