import { gauge } from '../metric-table.ts'

/** Of every service that writes to Kafka. */
export const PUBLISHER_METRICS = {
  queued: gauge('turnpike_publisher_queued', 'Messages that wait for their acknowledgement by Kafka, sent ones included.'),
  queuedBytes: gauge('turnpike_publisher_queued_bytes', 'Bytes of the messages that wait for their acknowledgement.'),
  up: gauge('turnpike_publisher_up', '1 while a broker answers.'),
}
