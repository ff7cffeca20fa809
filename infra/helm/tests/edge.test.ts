import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { environmentOf, type Manifest, ofKind, podOf } from './manifest.ts'
import { CHART, EVERYTHING, REQUIRED, render } from './render-chart.ts'

let manifests: Manifest[]
beforeAll(async () => {
  manifests = await render({}, [REQUIRED, EVERYTHING])
})

it('the ingress takes the largest upload, waits for the longest answer, and writes no path of a hosted file', () => {
  const [main, media] = ofKind(manifests, 'Ingress').sort((a, b) => a.metadata.name.length - b.metadata.name.length)
  const nginx = (name: string) => `nginx.ingress.kubernetes.io/${name}`
  for (const ingress of [main, media]) {
    expect(ingress?.metadata.annotations).toMatchObject({
      [nginx('proxy-body-size')]: '36m',
      [nginx('proxy-read-timeout')]: '600',
    })
    expect(JSON.stringify(ingress?.spec)).toContain('"shop-turnpike-gateway"')
  }
  expect(main?.metadata.annotations).not.toHaveProperty(nginx('enable-access-log'))
  expect(media?.metadata.annotations).toMatchObject({ [nginx('enable-access-log')]: 'false' })
  expect(JSON.stringify(media?.spec)).toContain('"/v1/media/"')
})

it('hosted files have a route of their own', () => {
  const paths = ofKind(manifests, 'HTTPRoute').map(({ spec }) => JSON.stringify(spec).match(/"value":"([^"]+)"/)?.[1])
  expect(paths.sort()).toEqual(['/', '/v1/media/'])
})

it('clients reach the public port and nothing else, others the ledger and the facilitator where they are told to', () => {
  const ports = (name: string) => {
    const service = ofKind(manifests, 'Service').find(({ metadata }) => metadata.name === `shop-turnpike-${name}`)
    return service?.spec?.ports
  }
  expect(ports('gateway')).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
  expect(ports('ledger')).toEqual([{ name: 'internal', port: 9402, targetPort: 'internal' }])
  const gateway = environmentOf(podOf(manifests, 'gateway').container)
  expect(gateway.get('LEDGER_URL')).toBe('https://shop-turnpike-ledger:9402')
  expect(gateway.get('FACILITATOR_URL')).toBe('https://shop-turnpike-facilitator:80')
})

it('every component is scraped, and its series and its `up` carry the name of the service', () => {
  const monitors = ofKind(manifests, 'PodMonitor')
  expect(monitors).toHaveLength(7)
  for (const { spec } of monitors) {
    const endpoints = spec?.podMetricsEndpoints as Record<string, unknown>[] | undefined
    expect(endpoints?.[0]).toMatchObject({
      port: 'internal',
      honorLabels: true,
      relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'], targetLabel: 'service' }],
    })
  }
})

it('the alerts and dashboards are the files, unchanged', () => {
  const [rules] = ofKind(manifests, 'PrometheusRule')
  expect(rules?.spec).toEqual(parse(readFileSync(join(CHART, 'files/alerts.yaml'), 'utf8')))
  const folder = join(CHART, 'files/dashboards')
  const maps = ofKind(manifests, 'ConfigMap')
  const contents = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>
  const files = readdirSync(folder)
  expect(Object.keys(contents).sort()).toEqual(files.sort())
  for (const file of files) expect(contents[file]).toBe(readFileSync(join(folder, file), 'utf8'))
})
