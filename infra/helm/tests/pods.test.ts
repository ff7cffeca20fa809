import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { environmentOf, type Manifest, ofKind, type Pod, podOf, podsOf } from './manifest.ts'
import { EVERYTHING, REQUIRED, render } from './render-chart.ts'

const RUN_ONCE = ['migrate', 'topics', 'paid-check']
const SERVED = ['gateway', 'ledger', 'facilitator']
let manifests: Manifest[]
let pods: Pod[]
beforeAll(async () => {
  manifests = await render({}, [REQUIRED, EVERYTHING])
  pods = podsOf(manifests)
})

it('every component has its pods', () => {
  const workers = ['media-worker', 'text-worker', 'transcription-worker']
  expect(pods.map(({ component }) => component).sort()).toEqual(['auditor', ...SERVED, ...RUN_ONCE, ...workers].sort())
})

it('no pod runs as root, writes to its root, keeps a capability, or holds a token of the cluster', () => {
  for (const { spec, container } of pods) {
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(spec.automountServiceAccountToken).toBe(false)
  }
  for (const account of ofKind(manifests, 'ServiceAccount'))
    expect(account).toMatchObject({ automountServiceAccountToken: false })
})

it('every container has requests and limits of processor, memory and scratch space', () => {
  for (const { container } of pods) {
    for (const amounts of [container.resources.requests, container.resources.limits]) {
      expect(Object.keys(amounts).sort()).toEqual(['cpu', 'ephemeral-storage', 'memory'])
    }
  }
})

it('every image comes from the registry under the release, and no service is given a command of its own', () => {
  for (const { component, container } of pods) {
    const image = { migrate: 'ledger', topics: 'ledger', 'paid-check': 'auditor' }[component] ?? component
    expect(container.image).toBe(`registry.example.com/turnpike/${image}:1.2.3`)
    expect(container.command === undefined).toBe(!RUN_ONCE.includes(component))
  }
})

it('every long-running pod is probed on its internal port and spread over zones and nodes', () => {
  for (const { component, container, spec } of pods.filter((pod) => !RUN_ONCE.includes(pod.component))) {
    const scheme = component === 'ledger' ? 'HTTPS' : 'HTTP'
    const ready = ['gateway', 'ledger'].includes(component) ? '/healthz' : '/readyz'
    expect(container.startupProbe?.httpGet).toEqual({ path: '/readyz', port: 'internal', scheme })
    expect(container.readinessProbe?.httpGet).toEqual({ path: ready, port: 'internal', scheme })
    expect(container.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'internal', scheme })
    expect(environmentOf(container).get('INTERNAL_PORT')).toBe(
      `${container.ports?.find(({ name }) => name === 'internal')?.containerPort}`,
    )
    expect(spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ])
  }
})

it('every long-running component has a disruption budget that lets one pod go', () => {
  const budgets = ofKind(manifests, 'PodDisruptionBudget')
  const components = budgets.map(({ metadata }) => metadata.labels['app.kubernetes.io/component'])
  const longRunning = pods.map(({ component }) => component).filter((component) => !RUN_ONCE.includes(component))
  expect(components.sort()).toEqual(longRunning.sort())
  for (const { spec } of budgets) expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
})

describe('the end of a pod', () => {
  const source = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
  const constant = (file: string, pattern: RegExp) => Number(pattern.exec(source(file))?.[1]?.replaceAll('_', '') ?? Number.NaN)

  /** How long a service takes at most from its signal to its exit. */
  function ownEndMs(component: string, environment: Map<string, string>): number {
    const drain = Number(environment.get('DRAIN_GRACE_MS') ?? environment.get('SHUTDOWN_GRACE_MS') ?? 0)
    if (component === 'gateway')
      return drain + constant('services/gateway/src/main.ts', /graceMs: config\.shutdownGraceMs \+ ([\d_]+)/)
    if (component === 'ledger') return constant('services/ledger/src/main.ts', /^const GRACE_MS = ([\d_]+)/m)
    if (component === 'auditor') return constant('services/auditor/src/main.ts', /^const GRACE_MS = ([\d_]+)/m)
    if (component === 'facilitator') return drain
    return drain + constant('packages/worker/src/start-worker.ts', /^const CLOSING_MS = ([\d_]+)/m)
  }

  it('is waited for longer than the wait for the endpoints and the service itself take', () => {
    for (const { component, container, spec } of pods.filter((pod) => !RUN_ONCE.includes(pod.component))) {
      const waited = container.lifecycle?.preStop.sleep.seconds ?? 0
      expect(waited > 0, component).toBe(SERVED.includes(component))
      const needed = waited + ownEndMs(component, environmentOf(container)) / 1000
      expect(spec.terminationGracePeriodSeconds, component).toBeGreaterThanOrEqual(needed + 5)
      // Not a number would pass every comparison.
      expect(needed, component).toBeGreaterThan(9)
    }
  })

  it('leaves a worker the time of its longest call, so that scaling in repeats none', () => {
    const deadlines = 'services/gateway/src/endpoints/provider-deadlines.ts'
    const textSeconds = Math.ceil(
      constant('packages/catalog/src/models.ts', /MAX_OUTPUT_TOKENS = ([\d_]+)/) /
        constant(deadlines, /TEXT_TOKENS_PER_SECOND = ([\d_]+)/),
    )
    const longest = {
      'media-worker': constant(deadlines, /MEDIA_DEADLINE_MS = ([\d_]+)/),
      'transcription-worker': constant(deadlines, /TRANSCRIPTION_DEADLINE_MS = ([\d_]+)/),
      'text-worker': constant(deadlines, /TEXT_BASE_MS = ([\d_]+)/) + textSeconds * 1000,
    }
    for (const [component, deadlineMs] of Object.entries(longest)) {
      const drainMs = Number(environmentOf(podOf(manifests, component).container).get('DRAIN_GRACE_MS'))
      expect(drainMs, component).toBeGreaterThan(deadlineMs)
    }
  })
})

it('each facilitator has an account of its own: the key of its ordinal, and as many replicas as keys', () => {
  const [set] = ofKind(manifests, 'StatefulSet')
  expect(set?.spec).toMatchObject({ replicas: 2 })
  const { container, spec } = podOf(manifests, 'facilitator')
  const mount = container.volumeMounts.find(({ name }) => name === 'signers')
  expect(mount).toEqual({ name: 'signers', mountPath: '/run/secrets/signer/key', subPathExpr: '$(POD_INDEX)', readOnly: true })
  expect(environmentOf(container).get('SIGNER_PRIVATE_KEY')).toBe('/run/secrets/signer/key')
  expect(container.env.find(({ name }) => name === 'POD_INDEX')?.valueFrom).toEqual({
    fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" },
  })
  const sources = spec.volumes.find(({ name }) => name === 'signers')?.projected?.sources
  expect(sources?.map(({ secret }) => secret?.items)).toEqual([
    [{ key: 'SIGNER_0', path: '0' }],
    [{ key: 'SIGNER_1', path: '1' }],
  ])
})
