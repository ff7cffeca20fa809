import { expect, it } from 'vitest'
import { baseValues, COMPONENTS, merged, of, restarted, writing } from './values.ts'

const wallet = { address: '0x00000000000000000000000000000000000000aa', privateKey: '0x01' } as const
const values = baseValues({
  beside: {
    identity: { payTo: wallet },
    brokers: ['192.0.2.1:9092'],
    s3: {
      endpoint: 'http://192.0.2.1:9000',
      region: 'us-east-1',
      bucket: 'b',
      accessKeyId: 'the-id',
      secretAccessKey: 'the-secret',
    },
    geminiUrl: 'http://192.0.2.1:1',
    elevenlabsUrl: 'http://192.0.2.1:2',
    ports: { kafka: [9092], postgres: [5432], redis: [6379], s3: [9000], chainRpc: [8545], upstreams: [1, 2] },
  },
  besideHost: '192.0.2.1',
  clientCidr: '192.0.2.0/30',
  tag: 'dev',
  publicBaseUrl: 'http://198.51.100.1',
})

it('lets each dependency be reached on its own ports alone', () => {
  expect(values).toMatchObject({
    networkPolicy: {
      ingress: { gateway: { peers: [{ ipBlock: { cidr: '192.0.2.0/30' } }] } },
      egress: {
        postgres: { peers: [{ ipBlock: { cidr: '192.0.2.1/32' } }], ports: [5432] },
        upstreams: { ports: [1, 2] },
      },
    },
  })
})

it('holds no secret', () => {
  expect(JSON.stringify(values)).not.toMatch(/the-id|the-secret|0x01"/)
})

it('puts values together by their objects, and takes the later of everything else', () => {
  expect(merged({ a: { b: 1, c: [1] } }, { a: { c: [2], d: 3 } }, { a: { b: 4 } })).toEqual({ a: { b: 4, c: [2], d: 3 } })
  const next = merged(values, writing('current'), restarted('2'), of('text-worker', { replicas: 1 }))
  expect(next).toMatchObject({
    image: { tag: 'dev' },
    eventSchema: 'current',
    textWorker: { replicas: 1, podAnnotations: { 'turnpike-test/mark': '2' } },
    gateway: { settings: { CLIENT_RATE_LIMIT_PER_MINUTE: '1000000' } },
  })
  expect(JSON.stringify(next).match(/turnpike-test\/mark/g)).toHaveLength(COMPONENTS.length)
})
