import { JOB_TOPICS, TOPICS } from '@turnpike/contracts'
import { counter, gauge } from '../metric-table.ts'

const CONSUMED = [...JOB_TOPICS, TOPICS.outcomes]

/** Of every service that reads Kafka. */
export const CONSUMER_METRICS = {
  inFlight: gauge('turnpike_consumer_in_flight', 'Messages being worked on.'),
  slots: gauge('turnpike_consumer_slots', 'How many messages this process works on at once at most (CONCURRENCY).'),
  held: gauge('turnpike_consumer_held', 'Messages in memory: worked on, fetched ahead or waiting to be tried again.'),
  partitions: gauge('turnpike_consumer_partitions', 'Partitions that are assigned to this process.', { topic: CONSUMED }),
  lag: gauge(
    'turnpike_consumer_lag',
    "Messages of this process's partitions that are not finished, as of the last fetch. The sum over the processes of a service is the lag of its group.",
    { topic: CONSUMED },
  ),
  uncommitted: gauge('turnpike_consumer_uncommitted', 'Messages that a crash would deliver again.', { topic: CONSUMED }),
  oldestUnfinished: gauge(
    'turnpike_consumer_oldest_unfinished_seconds',
    'Age of the oldest message that was delivered here and is not finished.',
    { topic: CONSUMED },
  ),
  up: gauge('turnpike_consumer_up', '1 while the group answers the heartbeats of this process.'),
  finished: counter('turnpike_consumer_finished_total', 'Messages that are done.'),
  retried: counter('turnpike_consumer_retried_total', 'Attempts at a message that failed and are repeated.'),
  deadLettered: counter('turnpike_consumer_dead_lettered_total', 'Messages that went to a dead-letter topic.'),
}
