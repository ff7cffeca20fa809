import { describe, expect, it } from 'vitest'
import { REQUIRED, render, renderText, type Values } from './render-chart.ts'

const nobody = { peers: [] }

describe('values that make no sense are refused', () => {
  it.each<[string, Values, RegExp]>([
    ['a name that there is not', { gatway: {} }, /gatway/],
    ['a setting that a service does not know', { gateway: { settings: { MAX_INFLIGHT: '1' } } }, /MAX_INFLIGHT/],
    ['a setting that the chart sets itself', { gateway: { settings: { LEDGER_URL: 'http://elsewhere' } } }, /LEDGER_URL/],
    ['a secret in place of a reference', { secrets: { refs: { internalToken: { value: 'hunter2hunter2hu' } } } }, /value/],
    ['a password in the address of Redis', { redis: { url: 'redis://:hunter2@redis:6379' } }, /redis/],
    ['no replica', { ledger: { replicas: 0 } }, /replicas/],
    ['less than none', { textWorker: { replicas: -1 } }, /replicas/],
    ['a number of replicas and an autoscaler', { gateway: { replicas: 3, autoscaling: { enabled: true } } }, /gateway/],
    ['the same for a worker', { mediaWorker: { replicas: 3, autoscaling: { enabled: true } } }, /mediaWorker/],
    ['an address that is none', { payTo: '0x1234' }, /payTo/],
    ['no public address', { publicBaseUrl: '' }, /publicBaseUrl/],
    ['no broker', { kafka: { brokers: [] } }, /brokers/],
    ['a password that Kafka reads in the clear', { kafka: { sasl: { mechanism: 'plain' } } }, /kafka/],
    ['no signer for the facilitator', { facilitator: { signers: [] } }, /signers/],
    ['a facilitator of others without an address', { facilitator: { enabled: false, signers: [] } }, /url/],
    ['an ingress without a host', { ingress: { enabled: true } }, /host/],
    ['a route without a gateway', { httpRoute: { enabled: true } }, /parentRefs/],
    ['two scrapers', { metrics: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } }, /metrics/],
    ['limits without requests', { ledger: { resources: { requests: null } } }, /requests/],
    ['a database that nobody may reach', { networkPolicy: { egress: { postgres: nobody } } }, /postgres/],
    ['a gateway that nobody may reach', { networkPolicy: { ingress: { gateway: nobody } } }, /gateway/],
  ])('%s', async (_what, values, complaint) => {
    await expect(renderText(values)).rejects.toThrow(complaint)
  })
})

describe('values that do not go together are refused with a sentence', () => {
  it.each<[string, Values, string]>([
    ['more workers than partitions', { textWorker: { replicas: 7 } }, 'textWorker: 7 replicas for the 6 partitions of jobs.text'],
    [
      'a scaler that may go beyond the partitions',
      { mediaWorker: { autoscaling: { enabled: true, maxReplicas: 9 } } },
      'mediaWorker: 9 replicas for the 6 partitions of jobs.media',
    ],
    [
      'a least above the most',
      { gateway: { autoscaling: { minReplicas: 20 } } },
      'gateway.autoscaling: minReplicas is above maxReplicas',
    ],
    [
      'more replicas in sync than there are',
      { topics: { minInsyncReplicas: 4 } },
      'minInsyncReplicas is above replicationFactor',
    ],
    [
      'one account for two facilitators',
      { facilitator: { signers: [{ key: 'A' }, { key: 'A', name: 'turnpike' }] } },
      'same nonces',
    ],
    ['an authority without TLS', { authorities: { kafka: { configMap: 'ca' } } }, 'authorities.kafka needs kafka.tls.enabled'],
    [
      'our facilitator without a token',
      { secrets: { refs: { facilitatorToken: { key: '' } } } },
      'answers nobody without a token',
    ],
    ['a check with a model that is not sold', { paidCheck: { model: 'gm-9' } }, 'paidCheck.model: gm-9 is none of models.text'],
    ['a collector that nobody may reach', { tracing: { endpoint: 'http://otel:4318' } }, 'networkPolicy.egress.tracing.peers'],
    ['no Secret', { secrets: { existingSecret: '' } }, 'secrets.existingSecret'],
  ])('%s', async (_what, values, sentence) => {
    await expect(renderText(values)).rejects.toThrow(sentence)
  })
})

it('models that are not sold take their workers along', async () => {
  const models = { speech: { 'el/flash-v2.5': null }, transcription: { 'el/scribe-v2': null } }
  const names = (await render({ models }, [REQUIRED])).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  expect(names).toContain('Deployment shop-turnpike-media-worker')
  expect(names.filter((name) => name.includes('transcription'))).toEqual([])
})
