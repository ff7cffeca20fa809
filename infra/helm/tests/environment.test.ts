import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConfigTable } from '@turnpike/service'
import { beforeAll, describe, expect, it } from 'vitest'
import { environmentOf, type Manifest, podOf } from './manifest.ts'
import { CHART, EVERYTHING, REQUIRED, render } from './render-chart.ts'

const root = join(import.meta.dirname, '../../..')
/** The tables are read, not used: nothing here depends on a service. */
const tables: Record<string, { values: string; file: string; table: string }> = {
  gateway: { values: 'gateway', file: 'gateway/src/config.ts', table: 'GATEWAY_VARIABLES' },
  ledger: { values: 'ledger', file: 'ledger/src/config.ts', table: 'CONFIG' },
  'text-worker': { values: 'textWorker', file: 'text-worker/src/config.ts', table: 'TEXT_WORKER_CONFIG' },
  'media-worker': { values: 'mediaWorker', file: 'media-worker/src/config.ts', table: 'MEDIA_WORKER_CONFIG' },
  'transcription-worker': {
    values: 'transcriptionWorker',
    file: 'transcription-worker/src/config.ts',
    table: 'TRANSCRIPTION_WORKER_CONFIG',
  },
  facilitator: { values: 'facilitator', file: 'facilitator/src/config.ts', table: 'FacilitatorConfig' },
  auditor: { values: 'auditor', file: 'auditor/src/config.ts', table: 'CONFIG' },
  topics: { values: 'topics', file: 'ledger/src/topics.config.ts', table: 'TOPICS_CONFIG' },
  'paid-check': { values: 'paidCheck', file: 'paid-check/src/config.ts', table: 'PAID_CHECK_CONFIG' },
}
/** Read by Node and by packages/telemetry. */
const OF_EVERY_PROCESS =
  /^(NODE_ENV|NODE_EXTRA_CA_CERTS|OTEL_EXPORTER_OTLP_ENDPOINT|OTEL_EXPORTER_OTLP_HEADERS|OTEL_TRACES_SAMPLER_ARG)$/
/** For the facilitator's own mount. */
const OF_THE_CHART = new Set(['POD_INDEX'])

async function variablesOf(component: string): Promise<ConfigTable[string][]> {
  const { file, table } = tables[component] ?? { file: '', table: '' }
  const module = (await import(pathToFileURL(join(root, 'services', file)).href)) as Record<string, ConfigTable>
  return Object.values(module[table] ?? {})
}

type ValuesSchema = {
  properties: Record<string, { $ref?: string; properties?: Properties }>
  definitions: Record<string, { properties?: Properties }>
}
type Properties = Record<string, { propertyNames?: { enum: string[] } }>

function settingsOf(values: string): string[] {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as ValuesSchema
  const property = schema.properties[values]
  const own = property?.$ref === undefined ? property : schema.definitions[property.$ref.replace('#/definitions/', '')]
  return own?.properties?.settings?.propertyNames?.enum ?? []
}

/** The chart gives the auditor a token that only reads, in place of the gateway's. */
const NEVER_SET: Record<string, string[]> = { auditor: ['INTERNAL_TOKEN'] }
/** One of the gateway's settings, in everything.yaml. */
const SET_BY_HAND = 'MODERATION_URL'

let least: Manifest[]
let everything: Manifest[]
let otherwise: Manifest[]
beforeAll(async () => {
  least = await render()
  everything = await render({}, [REQUIRED, EVERYTHING])
  otherwise = await render(
    {
      stagingKms: { keys: ['arn:aws:kms:eu-1:1:key/1'], endpoint: 'https://kms.example.com' },
      networkPolicy: { egress: { kms: { peers: [{ ipBlock: { cidr: '10.7.0.0/24' } }] } } },
      secrets: { refs: { kafkaClientCertificate: { key: 'A' }, kafkaClientKey: { key: 'B' } } },
      redis: { url: '' },
      auditor: { facilitatorSigners: [`0x${'2'.repeat(40)}`] },
    },
    [REQUIRED, EVERYTHING],
  )
})

describe.each(Object.keys(tables))('the environment of %s', (component) => {
  const namesIn = (manifests: Manifest[]) =>
    [...environmentOf(podOf(manifests, component).container).keys()].filter(
      (name) => !OF_EVERY_PROCESS.test(name) && !OF_THE_CHART.has(name),
    )

  it('has what the service needs, and nothing that it does not know', async () => {
    const variables = await variablesOf(component)
    expect(variables.length).toBeGreaterThan(4)
    const known = variables.map(({ name }) => name)
    const needed = variables.filter(({ read }) => !read(undefined).ok).map(({ name }) => name)
    for (const manifests of [least, everything, otherwise]) {
      expect(needed.filter((name) => !namesIn(manifests).includes(name))).toEqual([])
    }
    expect([...namesIn(everything), ...namesIn(otherwise)].filter((name) => !known.includes(name))).toEqual([])
  })

  it('takes as settings exactly the variables that the chart does not set', async () => {
    const settable = settingsOf(tables[component]?.values ?? '')
    const set = new Set([...namesIn(least), ...namesIn(everything), ...namesIn(otherwise), ...(NEVER_SET[component] ?? [])])
    set.delete(SET_BY_HAND)
    const others = (await variablesOf(component)).map(({ name }) => name).filter((name) => !set.has(name))
    expect([...settable].sort()).toEqual(others.sort())
  })
})
