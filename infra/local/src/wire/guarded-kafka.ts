import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KAFKA_RIGHTS, type KafkaRight } from '@turnpike/access'
import kafkajs, { type Admin } from 'kafkajs'
import { keptPasswords, operator } from './accounts.ts'
import { type Credentials, credentialFiles } from './authority.ts'

// Node finds these among the exports of this CommonJS package by its default only.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

const mechanism = 'SCRAM-SHA-512'
const broker = 'broker'

type Place = { readonly dir: string; readonly host: string; readonly port: number; readonly sidePort: number }

/** On top of the plain settings: clients over TLS with a password each, the controller by certificate, and rights for all of them. */
export function guardedSettings(place: Place, guard: Credentials): Record<string, string> {
  const files = credentialFiles(join(place.dir, 'tls'), guard)
  const keystore = join(place.dir, 'tls', 'keystore.pem')
  writeFileSync(keystore, `${guard.key}\n${guard.cert}\n`, { mode: 0o600 })
  const login = `org.apache.kafka.common.security.scram.ScramLoginModule required username="${broker}" password="${brokerPassword(place)}";`
  return {
    listeners: `CLIENTS://${place.host}:${place.port},CONTROLLER://127.0.0.1:${place.sidePort}`,
    'advertised.listeners': `CLIENTS://${place.host}:${place.port}`,
    'listener.security.protocol.map': 'CLIENTS:SASL_SSL,CONTROLLER:SSL',
    'inter.broker.listener.name': 'CLIENTS',
    'sasl.enabled.mechanisms': mechanism,
    'sasl.mechanism.inter.broker.protocol': mechanism,
    'listener.name.clients.scram-sha-512.sasl.jaas.config': login,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': files.ca,
    'listener.name.controller.ssl.client.auth': 'required',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The certificate is for the broker itself, which is its own controller.
    'super.users': `User:${operator};User:${broker};User:CN=kafka`,
  }
}

/** For the format of a fresh data folder: accounts are there before anybody could make them. */
export function scramAccounts(place: Pick<Place, 'dir'>): string[] {
  const accounts = { ...keptPasswords(place.dir), [broker]: brokerPassword(place) }
  return Object.entries(accounts).flatMap(([name, password]) => [
    '--add-scram',
    `${mechanism}=[name=${name},password=${password}]`,
  ])
}

/** The client options of one account. */
export function guardedClient(place: Pick<Place, 'dir'>, { ca }: Credentials, account: 'operator') {
  return {
    ssl: { ca },
    sasl: { mechanism: 'scram-sha-512' as const, username: account, password: keptPasswords(place.dir)[account] },
  }
}

/** Gives every principal its rights; those that it has already stay. */
export async function grantKafkaRights(admin: Admin): Promise<void> {
  await admin.createAcls({
    acl: Object.entries(KAFKA_RIGHTS).flatMap(([principal, rights = []]) =>
      rights.flatMap(({ resource, name, operations }) =>
        operations.map((operation) => ({
          principal: `User:${principal}`,
          host: '*',
          operation: AclOperationTypes[operation],
          permissionType: AclPermissionTypes.ALLOW,
          resourceType: resourceTypes[resource],
          resourceName: name,
          resourcePatternType: ResourcePatternTypes.LITERAL,
        })),
      ),
    ),
  })
}

const resourceTypes: Readonly<Record<KafkaRight['resource'], number>> = {
  topic: AclResourceTypes.TOPIC,
  group: AclResourceTypes.GROUP,
  cluster: AclResourceTypes.CLUSTER,
}

/** Nobody but the broker has it; made of what is kept, so that it needs no file of its own. */
function brokerPassword(place: Pick<Place, 'dir'>): string {
  return `broker-${keptPasswords(place.dir)[operator]}`
}
