import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@turnpike/testing/command-line'
import { startBeside } from './beside/start-beside.ts'
import { CHART, type Cluster } from './cluster.ts'
import { guardedValues } from './guarded/guarded-values.ts'
import { issueWireGuards } from './guarded/wire-guards.ts'
import { exposeGateway } from './install/client-service.ts'
import { deleteNamespace, prepareNamespace } from './install/prepare-namespace.ts'
import { baseValues, COMPONENTS, merged } from './install/values.ts'
import { openHelm } from './kube/helm.ts'
import { keepLogs } from './kube/keep-logs.ts'
import { openKube, RELEASE } from './kube/kube.ts'
import { mustRun } from './kube/run-command.ts'
import { auditCluster } from './load/audit-cluster.ts'
import type { StepResult } from './load/paid-load.ts'
import type { Options } from './options.ts'
import { type RunReport, stepLine } from './report.ts'
import { stepsOf } from './steps/all.ts'
import { runStep, timed } from './steps/step.ts'

export type Progress = { say(line: string): void; signal: AbortSignal }

/** From nothing to an installation, through every step, and away again. */
export async function runInCluster(options: Options, { say, signal }: Progress): Promise<RunReport> {
  const all = stepsOf(options)
  const steps = all.filter(({ name }) => options.only === undefined || options.only.includes(name))
  const unknown = (options.only ?? []).filter((name) => !all.some((step) => step.name === name))
  if (unknown.length > 0)
    throw new UsageError(`no step is called ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`)
  const startedAt = new Date().toISOString()
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-cluster-'))
  const kube = openKube(options.namespace)
  const done: StepResult[] = []
  const reached = { host: options.besideHost, namespace: options.namespace }
  const beside = await startBeside(folder, options.besideHost, options.guarded ? await issueWireGuards(reached) : undefined)
  say('what an installation needs runs beside the cluster')
  try {
    await loadImages(options)
    await prepareNamespace(kube, beside)
    const gatewayUrl = await exposeGateway(kube, options.via)
    const helm = openHelm({ chart: CHART, namespace: options.namespace, release: RELEASE })
    const { besideHost, clientCidr, tag } = options
    const values = merged(
      baseValues({ beside, besideHost, clientCidr, tag, publicBaseUrl: gatewayUrl }),
      options.guarded ? guardedValues(beside) : {},
    )
    const cluster: Cluster = { options, kube, helm, beside, gatewayUrl, values, say }
    const { ms } = await timed(() => helm.install(values))
    say(`installed in ${(ms / 1_000).toFixed(1)} s`)
    for (const step of steps) {
      if (signal.aborted) break
      say(`${step.name} …`)
      const result = await runStep(cluster, step)
      done.push(result)
      say(stepLine(result))
      for (const what of result.differences) say(`  ${what}`)
    }
    const finalAudit = await auditCluster(cluster, 0n)
    say(`audit of everything: ${finalAudit.transfers} transfers, ${finalAudit.differences} differences`)
    if (options.keep) await untilAborted(signal, say)
    return { startedAt, seed: options.seed, clients: options.clients, steps: done, finalAudit }
  } finally {
    await keepLogs(kube, join(import.meta.dirname, '..', 'results', 'logs')).catch((error: unknown) => say(`no logs: ${error}`))
    // What was found counts, whether or not the cluster clears up in time; the next run does it again.
    if (!options.keep || signal.aborted)
      await deleteNamespace(kube).catch((error: unknown) => say(`the namespace is not gone yet: ${error}`))
    await beside.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function loadImages({ imageLoader, tag }: Options): Promise<void> {
  const [program, ...args] = imageLoader ?? []
  if (program === undefined) return
  await mustRun(program, [...args, ...COMPONENTS.map((component) => `turnpike/${component}:${tag}`)], { timeoutMs: 600_000 })
}

async function untilAborted(signal: AbortSignal, say: (line: string) => void): Promise<void> {
  say('kept until Ctrl-C')
  if (!signal.aborted) await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
