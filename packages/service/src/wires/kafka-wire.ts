import { type Config, ConfigError, list, oneOf, optional, secret, text } from '../config.ts'
import { certificates, privateKey } from './pem.ts'

const OFF_ON = ['on', 'off'] as const

/** How a service reaches Kafka; spread into its own table. */
export const KAFKA_VARIABLES = {
  kafkaBrokers: list('KAFKA_BROKERS'),
  kafkaTls: oneOf('KAFKA_TLS', OFF_ON, { default: 'off' }),
  /** The only authority that is trusted for brokers; the public ones when unset. */
  kafkaTlsCa: optional(certificates('KAFKA_TLS_CA')),
  /** For brokers that ask for a client certificate. */
  kafkaTlsCert: optional(certificates('KAFKA_TLS_CERT')),
  kafkaTlsKey: optional(privateKey('KAFKA_TLS_KEY')),
  kafkaSaslMechanism: optional(oneOf('KAFKA_SASL_MECHANISM', ['plain', 'scram-sha-256', 'scram-sha-512'])),
  kafkaSaslUsername: optional(text('KAFKA_SASL_USERNAME')),
  kafkaSaslPassword: optional(secret('KAFKA_SASL_PASSWORD')),
}

export type KafkaWire = {
  brokers: readonly string[]
  ssl?: { ca?: string; cert?: string; key?: string; rejectUnauthorized: true }
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
}

/** Throws ConfigError with what the variables together do not allow. */
export function kafkaWire(service: string, config: Config<typeof KAFKA_VARIABLES>): KafkaWire {
  const { kafkaTls, kafkaTlsCa: ca, kafkaTlsCert: cert, kafkaTlsKey: key } = config
  const { kafkaSaslMechanism: mechanism, kafkaSaslUsername: username, kafkaSaslPassword: password } = config
  const isTls = kafkaTls === 'on'
  const problems = [
    !isTls && (ca ?? cert ?? key) !== undefined && 'KAFKA_TLS_CA, KAFKA_TLS_CERT and KAFKA_TLS_KEY need KAFKA_TLS=on',
    (cert === undefined) !== (key === undefined) && 'KAFKA_TLS_CERT and KAFKA_TLS_KEY go together',
    mechanism === undefined &&
      (username ?? password) !== undefined &&
      'KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD need KAFKA_SASL_MECHANISM',
    mechanism !== undefined &&
      (username === undefined || password === undefined) &&
      'KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
    mechanism === 'plain' && !isTls && 'KAFKA_SASL_MECHANISM plain sends the password as it is, so it needs KAFKA_TLS=on',
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new ConfigError(service, problems)
  return {
    brokers: config.kafkaBrokers,
    ...(isTls ? { ssl: { ...given({ ca, cert, key }), rejectUnauthorized: true } } : {}),
    ...(mechanism !== undefined && username !== undefined && password !== undefined
      ? { sasl: { mechanism, username, password } }
      : {}),
  }
}

/** Without what is absent: the libraries take an undefined field for a setting. */
function given(fields: { ca: string | undefined; cert: string | undefined; key: string | undefined }): Partial<{
  ca: string
  cert: string
  key: string
}> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
