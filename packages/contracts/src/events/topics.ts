import type { PaidEndpoint } from '../models.ts'

export const TOPICS = {
  textJobs: 'jobs.text',
  mediaJobs: 'jobs.media',
  transcriptionJobs: 'jobs.transcription',
  outcomes: 'outcomes',
  commits: 'commits',
} as const
export type Topic = (typeof TOPICS)[keyof typeof TOPICS]
export const JOB_TOPICS = [TOPICS.textJobs, TOPICS.mediaJobs, TOPICS.transcriptionJobs] as const

export function deadLetterTopic(topic: string): string {
  return `${topic}.dead`
}

const JOB_TOPIC_OF: Record<PaidEndpoint, Topic> = {
  '/v1/chat/completions': TOPICS.textJobs,
  '/v1/messages': TOPICS.textJobs,
  '/v1/images/generations': TOPICS.mediaJobs,
  '/v1/audio/speech': TOPICS.mediaJobs,
  '/v1/audio/transcriptions': TOPICS.transcriptionJobs,
}

export function jobTopicOf(endpoint: PaidEndpoint): Topic {
  return JOB_TOPIC_OF[endpoint]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type TopicSpec = { topic: string; partitions: number; retentionMs: number; segmentMs: number }

/**
 * Partitions and retention of a fresh installation. Retention is hours: Kafka moves work, it is not an archive. It deletes whole
 * segments and never the one that is written to, which under light traffic is a week's by default; so segments are rolled by time.
 */
export const TOPIC_SPECS: readonly TopicSpec[] = [
  ...JOB_TOPICS.map((topic) => ({ topic, partitions: 6, retentionMs: 6 * HOUR_MS, segmentMs: HOUR_MS })),
  { topic: TOPICS.outcomes, partitions: 6, retentionMs: 6 * HOUR_MS, segmentMs: HOUR_MS },
  { topic: TOPICS.commits, partitions: 3, retentionMs: DAY_MS, segmentMs: HOUR_MS },
  ...Object.values(TOPICS).map((topic) => ({
    topic: deadLetterTopic(topic),
    partitions: 1,
    retentionMs: 7 * DAY_MS,
    segmentMs: DAY_MS,
  })),
]
