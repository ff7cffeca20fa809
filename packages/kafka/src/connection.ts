import { Kafka, type KafkaConfig, type RetryOptions, type SASLOptions } from 'kafkajs'
import { kafkajsLogCreator, type Logger } from './logger.ts'

/** How to reach the brokers. `ssl` is handed to kafkajs as it is. */
export type KafkaConnection = {
  brokers: readonly string[]
  clientId: string
  logger: Logger
  ssl?: NonNullable<KafkaConfig['ssl']>
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
  /** For tunnels: opens the socket to a broker's advertised address. */
  socketFactory?: NonNullable<KafkaConfig['socketFactory']>
  connectionTimeoutMs?: number
  /** How long one request may stay without an answer before it counts as lost. */
  requestTimeoutMs?: number
}

/**
 * Every field is given: kafkajs has other defaults when NODE_ENV is "test", and its own five retries give up after about
 * eight seconds, less than a broker takes to come back.
 */
export function retryOptions(retries: number): RetryOptions {
  return { initialRetryTime: 50, maxRetryTime: 500, factor: 0.2, multiplier: 2, retries }
}

export const unboundedRetries = Number.MAX_SAFE_INTEGER

export function kafkaClient(connection: KafkaConnection, options: { retries: number; requestTimeoutMs: number }): Kafka {
  const { ssl, sasl, socketFactory } = connection
  return new Kafka({
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    connectionTimeout: connection.connectionTimeoutMs ?? 2_000,
    requestTimeout: connection.requestTimeoutMs ?? options.requestTimeoutMs,
    retry: retryOptions(options.retries),
    logCreator: kafkajsLogCreator(connection.logger),
    // exactOptionalPropertyTypes: an absent option is absent, not undefined.
    ...(ssl === undefined ? {} : { ssl }),
    // kafkajs has a type per mechanism, which all hold the same fields.
    ...(sasl === undefined ? {} : { sasl: sasl as SASLOptions }),
    ...(socketFactory === undefined ? {} : { socketFactory }),
  })
}
