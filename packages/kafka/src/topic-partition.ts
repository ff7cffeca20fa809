export type TopicPartition = { topic: string; partition: number }

/** `topic/partition`: a topic's name holds no slash. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}
