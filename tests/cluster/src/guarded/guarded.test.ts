import { X509Certificate } from 'node:crypto'
import { PRINCIPALS } from '@turnpike/access'
import { expect, it } from 'vitest'
import type { Values } from '../kube/helm.ts'
import { accountSecret, guardedObjects } from './guarded-objects.ts'
import { guardedValues } from './guarded-values.ts'
import { type AccountPasswords, issueWireGuards } from './wire-guards.ts'

const guards = await issueWireGuards({ host: '192.0.2.1', namespace: 'shop' })
const passwordsAt = (part: string) =>
  Object.fromEntries([...PRINCIPALS, 'operator'].map((name) => [name, `${part}-${name}`])) as AccountPasswords['kafka']
const passwords = { kafka: passwordsAt('kafka'), redis: passwordsAt('redis'), s3: passwordsAt('s3') }
const objects = guardedObjects('shop', { guards, passwords })
const values = guardedValues({ redisUrl: 'rediss://operator:redis-operator@192.0.2.1:6379' })

it('certificates hold for where pods reach each server, each under an authority of its own', () => {
  const shown = (name: keyof typeof guards) => new X509Certificate(guards[name].cert)
  expect(shown('kafka').checkIP('192.0.2.1')).toBe('192.0.2.1')
  expect(shown('ledger').checkHost('turnpike-ledger')).toBe('turnpike-ledger')
  expect(shown('facilitator').checkHost('turnpike-facilitator.shop.svc')).toBe('turnpike-facilitator.shop.svc')
  expect(shown('ledger').checkHost('turnpike-facilitator')).toBeUndefined()
  expect(new Set(Object.values(guards).map(({ ca }) => ca)).size).toBe(6)
})

it('every principal has a Secret with the accounts that it has rights for, and the operator has none', () => {
  const held = (principal: (typeof PRINCIPALS)[number]) =>
    objects.find(({ metadata }) => metadata.name === accountSecret(principal))?.stringData
  expect(held('gateway')).toEqual({
    KAFKA_SASL_PASSWORD: 'kafka-gateway',
    REDIS_PASSWORD: 'redis-gateway',
    S3_ACCESS_KEY_ID: 'gateway',
    S3_SECRET_ACCESS_KEY: 's3-gateway',
  })
  expect(held('auditor')).toEqual({ S3_ACCESS_KEY_ID: 'auditor', S3_SECRET_ACCESS_KEY: 's3-auditor' })
  expect(held('topics')).toEqual({ KAFKA_SASL_PASSWORD: 'kafka-topics' })
  expect(held('keda')).toEqual({ KEDA_KAFKA_USERNAME: 'keda', KEDA_KAFKA_PASSWORD: 'kafka-keda' })
  expect(JSON.stringify(objects)).not.toContain('-operator')
})

it('the values name Secrets and ConfigMaps that there are, by keys that they have, and hold no secret', () => {
  expect(JSON.stringify(values)).not.toMatch(/operator|PRIVATE KEY|kafka-gateway/)
  expect(values).toMatchObject({ redis: { url: 'rediss://192.0.2.1:6379', usernamePerService: true } })
  const names = objects.map(({ metadata }) => metadata.name)
  for (const name of namesIn(values)) expect(names).toContain(name)
  const authorities = objects.find(({ kind }) => kind === 'ConfigMap')?.data
  for (const { key } of Object.values(values.authorities as Record<string, { key: string }>))
    expect(authorities).toHaveProperty([key])
})

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part as Values).flatMap(([field, value]) =>
    typeof value === 'string' && ['name', 'configMap', 'tlsSecret'].includes(field) ? [value] : namesIn(value),
  )
}
