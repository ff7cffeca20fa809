import { JOB_TOPICS, TOPIC_SPECS } from '@turnpike/contracts'
import { beforeAll, expect, it } from 'vitest'
import { environmentOf, type Manifest, ofKind, podOf } from './manifest.ts'
import { EVERYTHING, REQUIRED, render } from './render-chart.ts'

type ScaledObject = Record<string, unknown> & {
  scaleTargetRef: { kind: string; name: string }
  maxReplicaCount: number
  advanced: {
    horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: number; policies: unknown[] } } }
  }
  triggers: { type: string; metadata: Record<string, string>; authenticationRef?: { name: string } }[]
}

let fixed: Manifest[]
let scaled: Manifest[]
beforeAll(async () => {
  fixed = await render()
  scaled = await render({}, [REQUIRED, EVERYTHING])
})

const WORKERS = ['text-worker', 'media-worker', 'transcription-worker']
const deploymentOf = (manifests: Manifest[], component: string) =>
  ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component)

it('nothing is scaled by itself unless that is asked for, and there are two of each', () => {
  expect([...ofKind(fixed, 'HorizontalPodAutoscaler'), ...ofKind(fixed, 'ScaledObject')]).toEqual([])
  for (const component of ['gateway', 'ledger', ...WORKERS]) expect(deploymentOf(fixed, component)?.spec?.replicas).toBe(2)
})

it('what is scaled has no replicas of its own, and one scaler', () => {
  for (const component of ['gateway', ...WORKERS]) expect(deploymentOf(scaled, component)?.spec).not.toHaveProperty('replicas')
  expect(ofKind(scaled, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)).toEqual(['shop-turnpike-gateway'])
  expect(
    ofKind(scaled, 'ScaledObject')
      .map(({ metadata }) => metadata.name.replace('shop-turnpike-', ''))
      .sort(),
  ).toEqual([...WORKERS].sort())
})

it('workers follow the lag of their own group on their own topic, slowly down, as a principal that may only look', () => {
  const topics = { 'text-worker': 'jobs.text', 'media-worker': 'jobs.media', 'transcription-worker': 'jobs.transcription' }
  expect(Object.values(topics)).toEqual([...JOB_TOPICS])
  for (const [component, topic] of Object.entries(topics)) {
    const object = ofKind(scaled, 'ScaledObject').find(({ metadata }) => metadata.name === `shop-turnpike-${component}`)
    const { triggers, scaleTargetRef, advanced } = (object?.spec ?? {}) as ScaledObject
    expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: `shop-turnpike-${component}` })
    const [trigger] = triggers
    expect(trigger).toMatchObject({ type: 'kafka', authenticationRef: { name: 'shop-turnpike-kafka-lag' } })
    expect(trigger?.metadata).toMatchObject({ consumerGroup: component, topic, tls: 'enable', sasl: 'scram_sha512' })
    // A replica must not be added before the others have all that they can do at once.
    const concurrency = Number(environmentOf(podOf(scaled, component).container).get('CONCURRENCY'))
    expect(Number(trigger?.metadata.lagThreshold)).toBeGreaterThanOrEqual(concurrency / 2)
    expect(advanced.horizontalPodAutoscalerConfig.behavior.scaleDown).toMatchObject({
      stabilizationWindowSeconds: 300,
      policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
    })
  }
  expect(ofKind(scaled, 'TriggerAuthentication')[0]?.spec).toEqual({
    configMapTargetRef: [{ parameter: 'ca', name: 'authorities', key: 'kafka.crt' }],
    secretTargetRef: [
      { parameter: 'password', name: 'turnpike', key: 'KEDA_KAFKA_PASSWORD' },
      { parameter: 'username', name: 'turnpike', key: 'KEDA_KAFKA_USERNAME' },
    ],
  })
})

it('a Kafka that asks for nothing needs no authentication of KEDA', async () => {
  const manifests = await render({ textWorker: { autoscaling: { enabled: true } } })
  expect(ofKind(manifests, 'TriggerAuthentication')).toEqual([])
  expect(JSON.stringify(ofKind(manifests, 'ScaledObject'))).not.toContain('authenticationRef')
})

it('the topics of the values are those of contracts, in the size of a small installation', () => {
  const values = JSON.parse(environmentOf(podOf(fixed, 'topics').container).get('TOPIC_PARTITIONS') ?? '{}') as Record<
    string,
    number
  >
  const live = TOPIC_SPECS.filter(({ topic }) => !topic.endsWith('.dead')).map(({ topic, partitions }) => [topic, partitions])
  expect(values).toEqual(Object.fromEntries(live))
})
