import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { obtainKubeCheckers } from '@turnpike/local/chart-tools'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHART, EVERYTHING, helm, manifestsIn, quietly, REQUIRED, renderText, type Values } from './render-chart.ts'

const schemas = join(import.meta.dirname, '../schemas/{{.ResourceKind}}{{.KindSuffix}}.json')
const withServiceMonitors = { metrics: { podMonitor: { enabled: false }, serviceMonitor: { enabled: true } } }
const sets: [string, string[], Values][] = [
  ['the least values', [REQUIRED], {}],
  ['small', [REQUIRED, join(CHART, 'values-small.yaml')], {}],
  ['medium', [REQUIRED, join(CHART, 'values-medium.yaml')], {}],
  ['large', [REQUIRED, join(CHART, 'values-large.yaml')], {}],
  ['everything on', [REQUIRED, EVERYTHING], {}],
  ['ServiceMonitors', [REQUIRED], withServiceMonitors],
]

/** Of kube-score's checks, those that we answer otherwise. */
const OTHERWISE = {
  'container-image-pull-policy': 'tags are released once and never moved; Always would need the registry for every restart',
  'pod-probes-identical': 'who lost a shared dependency goes on answering, with a 503 of its own: see the README',
  'deployment-has-host-podantiaffinity': 'topology spread constraints say it for zones and nodes',
  'statefulset-has-host-podantiaffinity': 'topology spread constraints say it for zones and nodes',
}

/** It only reads, and what it missed is in its next round. */
const OF_THE_AUDITOR = /-auditor\/.*: Deployment (update strategy|few replicas)$/

/** What a program says of standard input, and its exit status. */
async function ask(program: string, args: string[], input: string): Promise<{ status: number | null; output: string }> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  child.stdin.end(input)
  const [out, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  return { status: await ended, output: `${out}${errors}` }
}

describe.each(sets)('%s', (_name, files, values) => {
  let manifests: string
  beforeAll(async () => {
    manifests = await renderText(values, files)
  })

  it('is what Kubernetes, KEDA, the Prometheus Operator and the Gateway API take, without a field that they do not know', async () => {
    const { kubeconform } = await obtainKubeCheckers(quietly)
    const { status, output } = await ask(kubeconform, ['-summary', '-schema-location', schemas], manifests)
    expect(output).toMatch(/ - Valid: \d+, Invalid: 0, Errors: 0, Skipped: 0\n$/)
    expect(status).toBe(0)
  })

  it('has nothing that kube-score finds critical or warns of', async () => {
    const { kubeScore } = await obtainKubeCheckers(quietly)
    const ignored = Object.keys(OTHERWISE).flatMap((check) => ['--ignore-test', check])
    const { output } = await ask(kubeScore, ['score', '-o', 'ci', ...ignored, '-'], manifests)
    expect(output).toContain('[OK]')
    expect(output.split('\n').filter((line) => /^\[(CRITICAL|WARNING)\]/.test(line) && !OF_THE_AUDITOR.test(line))).toEqual([])
  })

  it('names every object once', () => {
    const names = manifestsIn(manifests).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

describe('helm lint', () => {
  it.each(sets.slice(0, 5))('has nothing against %s', async (_name, files) => {
    const output = await helm('lint', CHART, '--strict', ...files.flatMap((file) => ['--values', file]))
    expect(output).toContain('1 chart(s) linted, 0 chart(s) failed')
  })
})
