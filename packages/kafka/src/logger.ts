import { type LogEntry, logLevel } from 'kafkajs'

/** The part of a structured logger (pino has this shape) that this package calls. */
export type Logger = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * kafkajs logs every reconnect as an error and every pause as information. What matters is said by this package, so
 * kafkajs speaks one level lower. Only named fields are passed on: its entries can hold whole requests.
 */
export function kafkajsLogCreator(logger: Logger): () => (entry: LogEntry) => void {
  return () => (entry) => {
    const { message, error, groupId, topic, partition, retryCount } = entry.log
    const fields = { kafkajs: entry.namespace, error, groupId, topic, partition, retryCount }
    if (entry.level === logLevel.ERROR) logger.warn(fields, message)
    else logger.debug(fields, message)
  }
}
