import { wireFault } from '@turnpike/service'

const REFUSALS = ['KafkaJSSASLAuthenticationError', 'KafkaJSServerDoesNotSupportSaslError']
const REFUSED_TYPES = ['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']

/** A sentence where the configuration of the connection is at fault; undefined for a broker that is away. */
export function kafkaFault(error: unknown): string | undefined {
  return wireFault(error, {
    what: 'Kafka',
    ca: 'KAFKA_TLS_CA',
    credentials: 'KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD or KAFKA_SASL_MECHANISM',
    isRefusal: (each) => REFUSALS.includes(each.name) || REFUSED_TYPES.includes(String(Reflect.get(each, 'type'))),
  })
}
