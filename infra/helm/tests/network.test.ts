import { beforeAll, describe, expect, it } from 'vitest'
import { type Manifest, ofKind, podOf, podsOf } from './manifest.ts'
import { EVERYTHING, REQUIRED, render } from './render-chart.ts'

type Peer = { ipBlock?: { cidr: string; except?: string[] }; podSelector?: Selector; namespaceSelector?: Selector }
type Selector = { matchLabels?: Record<string, string> }
type Port = { protocol: string; port: number | string }
type PolicySpec = {
  podSelector: Selector
  policyTypes: string[]
  ingress?: { from: Peer[]; ports: Port[] }[]
  egress?: { to: Peer[]; ports: Port[] }[]
}

let manifests: Manifest[]
let policies: Map<string, PolicySpec>
beforeAll(async () => {
  manifests = await render({}, [REQUIRED, EVERYTHING])
  policies = new Map(
    ofKind(manifests, 'NetworkPolicy').map(({ metadata, spec }) => [
      metadata.name.replace('shop-turnpike-', ''),
      spec as unknown as PolicySpec,
    ]),
  )
})

const COMPONENT = 'app.kubernetes.io/component'
const NETWORKS: Record<string, string> = {
  '10.1.0.0/24:9092': 'kafka',
  '10.2.0.0/24:5432': 'postgres',
  '10.3.0.0/24:6379': 'redis',
  '10.4.0.0/24:443': 's3',
  '10.5.0.0/24:443': 'chain',
  '10.6.0.0/24:443': 'safety',
  '0.0.0.0/0:443': 'the internet',
  '::/0:443': 'the internet',
}

function nameOf(peer: Peer, port: Port): string {
  if (peer.ipBlock !== undefined) return NETWORKS[`${peer.ipBlock.cidr}:${port.port}`] ?? `${peer.ipBlock.cidr}:${port.port}`
  const labels = peer.podSelector?.matchLabels ?? {}
  const where =
    labels[COMPONENT] ?? labels['k8s-app'] ?? labels.app ?? peer.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name']
  return `${where}:${port.port}`
}

function edges(rules: { peers: Peer[]; ports: Port[] }[]): string[] {
  const names = rules.flatMap(({ peers, ports }) => peers.flatMap((peer) => ports.map((port) => nameOf(peer, port))))
  return [...new Set(names)].sort()
}

const reaches = (name: string) => edges((policies.get(name)?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports })))
const isReachedBy = (name: string) =>
  edges((policies.get(name)?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports })))

describe('what a pod reaches', () => {
  const names = 'kube-dns:53'
  const traces = 'otel:4318'
  it.each([
    ['gateway', ['chain', 'facilitator:http', 'kafka', 'ledger:internal', 'redis', 's3', 'safety', names, traces]],
    ['ledger', ['chain', 'facilitator:http', 'kafka', 'postgres', 'redis', 's3', names, traces]],
    ['text-worker', ['kafka', 'redis', 's3', 'the internet', names, traces]],
    ['media-worker', ['kafka', 'redis', 's3', 'the internet', names, traces]],
    ['transcription-worker', ['kafka', 'redis', 's3', 'the internet', names, traces]],
    ['facilitator', ['chain', names, traces]],
    ['auditor', ['chain', 'gateway:http', 'ledger:internal', 's3', names, traces]],
    ['migrate', ['postgres', names]],
    ['topics', ['kafka', names]],
    ['paid-check', ['gateway:http', names]],
  ])('%s: what it owns and needs, and nothing else', (component, expected) => {
    expect(reaches(component)).toEqual([...expected].sort())
  })

  it('on the internet is nothing private, and no address that gives out credentials of a cloud', () => {
    const blocks = policies.get('text-worker')?.egress?.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])) ?? []
    const everywhere = blocks.find(({ cidr }) => cidr === '0.0.0.0/0')
    expect(everywhere?.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
    )
    expect(blocks.find(({ cidr }) => cidr === '::/0')?.except).toEqual(['fc00::/7', 'fe80::/10'])
  })
})

describe('who reaches a pod', () => {
  it.each([
    ['gateway', ['auditor:http', 'ingress:http', 'monitoring:internal', 'paid-check:http']],
    ['ledger', ['auditor:internal', 'gateway:internal', 'monitoring:internal']],
    ['facilitator', ['gateway:http', 'ledger:http', 'monitoring:internal']],
    ['text-worker', ['monitoring:internal']],
    ['media-worker', ['monitoring:internal']],
    ['transcription-worker', ['monitoring:internal']],
    ['auditor', ['monitoring:internal']],
    ['migrate', []],
    ['topics', []],
    ['paid-check', []],
  ])('%s: who is named and nobody else', (component, expected) => {
    expect(isReachedBy(component)).toEqual(expected)
  })
})

it('every pod has a policy for both directions, and one for all of the release refuses the rest', () => {
  for (const { component, labels } of podsOf(manifests)) {
    const policy = policies.get(component)
    expect(policy?.policyTypes, component).toEqual(['Ingress', 'Egress'])
    for (const [name, value] of Object.entries(policy?.podSelector.matchLabels ?? {})) expect(labels[name]).toBe(value)
  }
  expect(policies.get('default-deny')).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'turnpike', 'app.kubernetes.io/instance': 'shop' } },
    policyTypes: ['Ingress', 'Egress'],
  })
})

it('a hook brings its account and its policy along, before it runs: those of the release are not there yet', () => {
  const hooks = manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade')
  const order = hooks
    .map(({ kind, metadata }) => `${metadata.annotations?.['helm.sh/hook-weight']} ${kind} ${metadata.name}`)
    .sort()
  expect(order).toEqual([
    '-10 NetworkPolicy shop-turnpike-migrate',
    '-10 NetworkPolicy shop-turnpike-topics',
    '-10 ServiceAccount shop-turnpike-hooks',
    '0 Job shop-turnpike-migrate',
    '0 Job shop-turnpike-topics',
  ])
  expect(podOf(manifests, 'migrate').spec.serviceAccountName).toBe('shop-turnpike-hooks')
  for (const { metadata } of hooks)
    expect(metadata.annotations?.['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded')
})

it('policies can be left to others', async () => {
  expect(ofKind(await render({ networkPolicy: { enabled: false } }), 'NetworkPolicy')).toEqual([])
})
