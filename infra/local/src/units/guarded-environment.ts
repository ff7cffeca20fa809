import type { Account } from '../wire/accounts.ts'
import { keptPasswords } from '../wire/accounts.ts'
import type { Guards } from '../wire/guards.ts'
import type { Wiring } from './wiring.ts'

/** What a service is told about Kafka, Redis and the store beside where they are; those of yours are described by your environment. */
export function dataWires({ guards, home, settings }: Wiring, account: Account): Record<string, string> {
  if (guards === undefined) return {}
  const passwordIn = (part: string) => keptPasswords(home.dataOf(part))[account]
  const { kafkaBrokers, redisUrl, s3 } = settings.yours
  return {
    ...(kafkaBrokers === undefined
      ? {
          KAFKA_TLS: 'on',
          KAFKA_TLS_CA_FILE: guards.caFile,
          KAFKA_SASL_MECHANISM: 'scram-sha-512',
          KAFKA_SASL_USERNAME: account,
          KAFKA_SASL_PASSWORD: passwordIn('kafka'),
        }
      : {}),
    ...(redisUrl === undefined
      ? { REDIS_TLS_CA_FILE: guards.caFile, REDIS_USERNAME: account, REDIS_PASSWORD: passwordIn('redis') }
      : {}),
    ...(s3 === undefined ? storeWire(guards, account, passwordIn('s3')) : {}),
  }
}

/** The store alone, for the auditor. */
export function storeWire({ caFile }: Pick<Guards, 'caFile'>, account: Account, secret: string): Record<string, string> {
  return { S3_TLS_CA_FILE: caFile, S3_ACCESS_KEY_ID: account, S3_SECRET_ACCESS_KEY: secret }
}

export function databaseCa(guards: Guards | undefined): Record<string, string> {
  return guards === undefined ? {} : { DATABASE_TLS_CA_FILE: guards.caFile }
}

/** For those who call the facilitator, and for ours: unset, it answers whoever reaches it. */
export function facilitatorToken({ guards }: Pick<Wiring, 'guards'>): Record<string, string> {
  const token = process.env.FACILITATOR_TOKEN || guards?.facilitatorToken
  return token ? { FACILITATOR_TOKEN: token } : {}
}

export function serverFiles({ guards }: Pick<Wiring, 'guards'>, name: 'ledger' | 'facilitator'): Record<string, string> {
  if (guards === undefined) return {}
  const { cert, key } = guards.serverFiles[name]
  return { SERVER_TLS_CERT_FILE: cert, SERVER_TLS_KEY_FILE: key }
}

/** For whoever calls the ledger or the facilitator. */
export function callerWires({ guards, settings }: Wiring): Record<string, string> {
  if (guards === undefined) return {}
  const ownFacilitator = settings.yours.facilitatorUrl === undefined ? { FACILITATOR_TLS_CA_FILE: guards.caFile } : {}
  return { LEDGER_TLS_CA_FILE: guards.caFile, ...ownFacilitator }
}
