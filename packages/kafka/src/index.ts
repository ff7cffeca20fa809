export type { BrokerState } from './broker-probe.ts'
export type { KafkaConnection } from './connection.ts'
export type { ConsumedMessage } from './consumed-message.ts'
export { deadLetterHeaders } from './dead-letter.ts'
export { decodeHeaders, type MessageHeaders, schemaVersionHeader, traceparentHeader } from './headers.ts'
export { kafkaFault } from './kafka-fault.ts'
export type { Logger as KafkaLogger } from './logger.ts'
export {
  type ConsumerStats,
  type MessageHandler,
  openParallelConsumer,
  type ParallelConsumer,
  type ParallelConsumerOptions,
} from './parallel-consumer.ts'
export { PoisonMessage } from './poison-message.ts'
export { PublishError, type PublishErrorCode } from './publish-error.ts'
export { type MessageToPublish, openPublisher, type Publisher, type PublisherOptions } from './publisher.ts'
export { showConsumer, showPublisher } from './show-kafka.ts'
export { type ExistingTopic, openTopicAdmin, type TopicAdmin, type TopicSpec } from './topic-admin.ts'
