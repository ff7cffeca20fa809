import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ofKind } from './manifest.ts'
import { CHART, EVERYTHING, helm, manifestsIn, REQUIRED } from './render-chart.ts'

// As much of a cluster's API as helm asks for before an upgrade.

const DEPLOYMENTS = '/apis/apps/v1/namespaces/pay/deployments/'
const live = new Map<string, { replicas?: number }>()
let folder: string
let api: Server

function answerTo(path: string): object | undefined {
  if (path === '/version') return { major: '1', minor: '33', gitVersion: 'v1.33.0' }
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (path === '/apis') {
    const version = { groupVersion: 'apps/v1', version: 'v1' }
    return { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [version], preferredVersion: version }] }
  }
  if (path === '/api/v1') return { kind: 'APIResourceList', groupVersion: 'v1', resources: [] }
  if (path === '/apis/apps/v1') {
    const deployments = { name: 'deployments', singularName: 'deployment', namespaced: true, kind: 'Deployment', verbs: ['get'] }
    return { kind: 'APIResourceList', groupVersion: 'apps/v1', resources: [deployments] }
  }
  const name = path.startsWith(DEPLOYMENTS) ? path.slice(DEPLOYMENTS.length) : ''
  const spec = live.get(name)
  return spec && { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'pay' }, spec }
}

beforeAll(async () => {
  api = createServer((request, response) => {
    const found = answerTo(new URL(request.url ?? '', 'http://x').pathname)
    const body = found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => api.listen(0, '127.0.0.1', listening))
  folder = await mkdtemp(join(tmpdir(), 'turnpike-cluster-'))
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  await writeFile(
    join(folder, 'kubeconfig'),
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      users: [{ name: 'test', user: {} }],
    }),
  )
})
afterAll(async () => {
  api.close()
  await rm(folder, { recursive: true, force: true })
})

/** By component, of the manifests that an upgrade of the running release would apply. */
async function replicasAfter(files: readonly string[]): Promise<Record<string, number | undefined>> {
  const named = files.flatMap((file) => ['--values', file])
  const cluster = ['--dry-run=server', '--kubeconfig', join(folder, 'kubeconfig')]
  const text = await helm('template', 'shop', CHART, '--namespace', 'pay', '--is-upgrade', ...cluster, ...named)
  const deployments = ofKind(manifestsIn(text), 'Deployment')
  return Object.fromEntries(
    deployments.map(({ metadata, spec }) => [metadata.name.replace('shop-turnpike-', ''), spec?.replicas as number | undefined]),
  )
}

it('an upgrade leaves what is scaled at the number that runs, none included, and says nothing of what does not run yet', async () => {
  live.set('shop-turnpike-gateway', { replicas: 7 })
  live.set('shop-turnpike-text-worker', { replicas: 5 })
  live.set('shop-turnpike-media-worker', { replicas: 0 })
  expect(await replicasAfter([REQUIRED, EVERYTHING])).toMatchObject({
    gateway: 7,
    'text-worker': 5,
    'media-worker': 0,
    'transcription-worker': undefined,
  })
})

it('a number of one’s own wins over what runs', async () => {
  live.set('shop-turnpike-text-worker', { replicas: 5 })
  expect(await replicasAfter([REQUIRED])).toMatchObject({ gateway: 2, 'text-worker': 2 })
})
