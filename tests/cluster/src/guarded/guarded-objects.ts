import { KAFKA_RIGHTS, PRINCIPALS, type Principal, REDIS_RIGHTS, S3_RIGHTS } from '@turnpike/access'
import { guardedNames } from '@turnpike/local'
import type { KubeObject } from '../kube/kube.ts'
import type { AccountPasswords, Guarded } from './wire-guards.ts'

export const AUTHORITIES = 'turnpike-authorities'
/** Holds the passwords of one principal, and nobody else's. */
export const accountSecret = (principal: Principal): string => `turnpike-account-${principal}`
export const tlsSecret = (server: 'ledger' | 'facilitator'): string => `turnpike-tls-${server}`

/** What an operator brings for guarded connections: authorities, a certificate for each server of ours, a Secret for each account. */
export function guardedObjects(namespace: string, { guards, passwords }: Guarded): KubeObject[] {
  const named = (name: string) => ({ apiVersion: 'v1', metadata: { name, namespace } })
  const authorities = Object.fromEntries(guardedNames.map((wire) => [`${wire}.crt`, guards[wire].ca]))
  return [
    { ...named(AUTHORITIES), kind: 'ConfigMap', data: authorities },
    ...(['ledger', 'facilitator'] as const).map((server) => ({
      ...named(tlsSecret(server)),
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': guards[server].cert, 'tls.key': guards[server].key },
    })),
    ...PRINCIPALS.map((principal) => ({
      ...named(accountSecret(principal)),
      kind: 'Secret',
      type: 'Opaque',
      stringData: accountsOf(principal, passwords),
    })),
  ]
}

/** Where a principal has rights it has an account; the keys are those that the chart's references name. */
function accountsOf(principal: Principal, { kafka, redis, s3 }: AccountPasswords): Record<string, string> {
  const isScaler = principal === 'keda'
  return {
    ...(principal in KAFKA_RIGHTS && !isScaler ? { KAFKA_SASL_PASSWORD: kafka[principal] } : {}),
    ...(isScaler ? { KEDA_KAFKA_USERNAME: principal, KEDA_KAFKA_PASSWORD: kafka[principal] } : {}),
    ...(principal in REDIS_RIGHTS ? { REDIS_PASSWORD: redis[principal] } : {}),
    ...(principal in S3_RIGHTS ? { S3_ACCESS_KEY_ID: principal, S3_SECRET_ACCESS_KEY: s3[principal] } : {}),
  }
}
