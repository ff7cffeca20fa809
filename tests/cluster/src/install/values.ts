import type { Beside, DependencyName } from '../beside/start-beside.ts'
import type { Values } from '../kube/helm.ts'

export const SECRET_NAME = 'turnpike-secrets'
export const signerKey = (place: number): string => `SIGNER_${place}`
export const TEST_WALLET_KEY = 'TEST_WALLET'

/** The components of an installation, as their pods are labelled. */
export const COMPONENTS = [
  'gateway',
  'ledger',
  'text-worker',
  'media-worker',
  'transcription-worker',
  'facilitator',
  'auditor',
] as const
export type Component = (typeof COMPONENTS)[number]

/** Names of the components in the chart's values. */
const VALUES_OF: Record<Component, string> = {
  gateway: 'gateway',
  ledger: 'ledger',
  'text-worker': 'textWorker',
  'media-worker': 'mediaWorker',
  'transcription-worker': 'transcriptionWorker',
  facilitator: 'facilitator',
  auditor: 'auditor',
}

/** Little is asked for, so that a node of two cores takes all of it; limits stay the chart's. */
const RESOURCES = { requests: { cpu: '20m', memory: '96Mi' } }

type Installed = Pick<Beside, 'brokers' | 's3' | 'geminiUrl' | 'elevenlabsUrl' | 'ports'> & {
  identity: Pick<Beside['identity'], 'payTo'>
}

/** The chart's values for an installation whose dependencies run beside the cluster. */
export function baseValues(options: {
  beside: Installed
  besideHost: string
  clientCidr: string
  tag: string
  publicBaseUrl: string
}): Values {
  const { beside, besideHost, clientCidr, tag, publicBaseUrl } = options
  const peers = [{ ipBlock: { cidr: `${besideHost}/32` } }]
  const egress = Object.fromEntries(
    (Object.keys(beside.ports) as DependencyName[]).map((name) => [name, { peers, ports: beside.ports[name] }]),
  )
  const { endpoint, region, bucket } = beside.s3
  return merged(
    {
      image: { tag, pullPolicy: 'IfNotPresent' },
      publicBaseUrl,
      payTo: beside.identity.payTo.address,
      secrets: { existingSecret: SECRET_NAME, refs: { testWalletKey: { name: '', key: TEST_WALLET_KEY } } },
      kafka: { brokers: beside.brokers },
      s3: { endpoint, region, bucket, forcePathStyle: true },
      upstreams: { geminiBaseUrl: beside.geminiUrl, elevenlabsBaseUrl: beside.elevenlabsUrl },
      // Two facilitators with an account each.
      facilitator: { signers: [0, 1].map((place) => ({ key: signerKey(place) })) },
      // One broker.
      topics: { replicationFactor: 1, minInsyncReplicas: 1 },
      // The load comes from one address.
      gateway: { settings: { CLIENT_RATE_LIMIT_PER_MINUTE: '1000000' } },
      networkPolicy: { ingress: { gateway: { peers: [{ ipBlock: { cidr: clientCidr } }] } }, egress },
    },
    ...COMPONENTS.map((component) => of(component, { resources: RESOURCES })),
  )
}

/** Values of one component. */
export function of(component: Component, values: Values): Values {
  return { [VALUES_OF[component]]: values }
}

/** Which schema of events is written. */
export function writing(eventSchema: 'previous' | 'current'): Values {
  return { eventSchema }
}

/** Makes every pod another one: nothing reads the annotation. */
export function restarted(mark: string): Values {
  return merged(...COMPONENTS.map((component) => of(component, { podAnnotations: { 'turnpike-test/mark': mark } })))
}

/** Objects are put together, whatever else stands later wins. */
export function merged(...all: readonly Values[]): Values {
  const result: Record<string, unknown> = {}
  for (const values of all) {
    for (const [name, value] of Object.entries(values)) {
      const before = result[name]
      result[name] = isObject(before) && isObject(value) ? merged(before, value) : value
    }
  }
  return result
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
