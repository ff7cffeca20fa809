import { beforeAll, expect, it } from 'vitest'
import { type Manifest, ofKind, type Pod, podOf, podsOf } from './manifest.ts'
import { EVERYTHING, REQUIRED, render } from './render-chart.ts'

let least: Manifest[]
let everything: Manifest[]
beforeAll(async () => {
  least = await render()
  everything = await render({}, [REQUIRED, EVERYTHING])
})

/** What a pod mounts, as file: Secret/key. */
function secretsOf({ spec }: Pod): Record<string, string> {
  const sources = spec.volumes.find(({ name }) => name === 'secrets')?.projected?.sources ?? []
  return Object.fromEntries(
    sources.flatMap(({ secret }) => secret?.items.map(({ key, path }) => [path, `${secret.name}/${key}`] as const) ?? []),
  )
}

it('each pod holds the secrets that its own work needs, and no others', () => {
  const streams = ['CONTENT_KEYS', 'REDIS_URL', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
  const held = Object.fromEntries(podsOf(least).map((pod) => [pod.component, Object.keys(secretsOf(pod)).sort()]))
  const sorted = (...names: string[]) => names.sort()
  expect(held).toEqual({
    gateway: sorted(
      ...streams,
      ...['CHAIN_RPC_URL', 'FACILITATOR_TOKEN', 'INTERNAL_TOKEN', 'MEDIA_CAPABILITY_KEYS', 'RECEIPT_TOKEN_KEYS', 'STAGING_KEYS'],
    ),
    ledger: sorted(
      ...streams,
      ...['AUDIT_TOKEN', 'CHAIN_RPC_URL', 'DATABASE_URL', 'FACILITATOR_TOKEN', 'INTERNAL_TOKEN', 'RECEIPT_SIGNING_KEYS'],
    ),
    'text-worker': sorted(...streams, 'GEMINI_API_KEY'),
    'media-worker': sorted(...streams, 'ELEVENLABS_API_KEY', 'GEMINI_API_KEY', 'MEDIA_CAPABILITY_KEYS', 'VOICES'),
    'transcription-worker': sorted(...streams, 'ELEVENLABS_API_KEY', 'STAGING_KEYS'),
    facilitator: ['CHAIN_RPC_URL', 'FACILITATOR_TOKEN'],
    auditor: sorted(
      ...['AUDIT_TOKEN', 'CHAIN_RPC_URL', 'CONTENT_KEYS', 'RECEIPT_TOKEN_KEYS', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ),
    migrate: ['DATABASE_URL', 'MIGRATION_DATABASE_URL'],
    topics: [],
    'paid-check': [],
  })
})

it('the owner of the tables is known to the migrations and to nobody else', () => {
  const holders = podsOf(everything).filter((pod) => 'MIGRATION_DATABASE_URL' in secretsOf(pod))
  expect(holders.map(({ component }) => component)).toEqual(['migrate'])
})

it('a service takes its own reference first, then its own Secret, then the shared one', () => {
  const gateway = secretsOf(podOf(everything, 'gateway'))
  expect(gateway.INTERNAL_TOKEN).toBe('tokens/GATEWAY')
  expect(gateway.CONTENT_KEYS).toBe('turnpike-gateway/CONTENT_KEYS')
  expect(secretsOf(podOf(everything, 'ledger')).INTERNAL_TOKEN).toBe('turnpike/INTERNAL_TOKEN')
  expect(secretsOf(podOf(everything, 'paid-check'))).toEqual({ WALLET_PRIVATE_KEY: 'turnpike-test/WALLET' })
})

it('a secret is a file that the service is told of, and stands in no variable and no object of the chart', () => {
  for (const { container, component } of podsOf(everything)) {
    for (const { name, value } of container.env.filter(({ value = '' }) => value.startsWith('/run/secrets/'))) {
      expect(name, component).toMatch(/_FILE$/)
      const file = value?.split('/').at(-1) ?? ''
      expect([name.replace(/_FILE$/, ''), 'key', 'tls.crt', 'tls.key'], component).toContain(file)
    }
    const plain = container.env.filter(({ name }) => /KEY|TOKEN|PASSWORD|SECRET/.test(name) && !/_FILE$/.test(name))
    expect(plain, component).toEqual([])
  }
  expect(ofKind(everything, 'Secret')).toEqual([])
})

it('each wire trusts the authority that is named for it', () => {
  const authorities = (component: string) => {
    const { container } = podOf(everything, component)
    return container.env
      .filter(({ name }) => /_TLS_CA_FILE$/.test(name))
      .map(({ name, value }) => `${name} ${value?.split('/').at(-1)}`)
  }
  expect(authorities('gateway').sort()).toEqual([
    'FACILITATOR_TLS_CA_FILE facilitator.crt',
    'KAFKA_TLS_CA_FILE kafka.crt',
    'LEDGER_TLS_CA_FILE ledger.crt',
    'REDIS_TLS_CA_FILE redis.crt',
    'S3_TLS_CA_FILE s3.crt',
  ])
  expect(authorities('migrate')).toEqual(['DATABASE_TLS_CA_FILE postgres.crt'])
  expect(authorities('topics')).toEqual(['KAFKA_TLS_CA_FILE kafka.crt'])
})
