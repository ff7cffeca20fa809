import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkoutRoot } from '../home.ts'
import { runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, toolLog } from './cache.ts'
import { goEnvironment, obtainGo } from './go.ts'

export type KubeCheckers = { readonly kubeconform: string; readonly kubeScore: string }

const modules = join(checkoutRoot, 'infra/helm/tools')

/** What reads the chart's manifests as Kubernetes would. Built once, in the versions of infra/helm/tools: no registry has the programs. */
export async function obtainKubeCheckers(deps: ToolDeps): Promise<KubeCheckers> {
  const digest = createHash('sha256')
    .update(readFileSync(join(modules, 'go.mod')))
    .digest('hex')
  const folder = await cached(deps, `kube-checkers-${digest.slice(0, 16)}`, async (draft) => {
    const go = await obtainGo(
      deps,
      'The checks of the Helm chart are built with Go, once: install Go 1.21 or newer (or python3 with pip, which brings it).',
    )
    await runTool(deps, {
      doing: 'building kubeconform and kube-score with Go',
      program: go,
      args: ['install', '-mod=readonly', '-ldflags=-s -w', 'tool'],
      cwd: modules,
      env: goEnvironment(draft),
      logFile: toolLog('go'),
    })
  })
  return { kubeconform: join(folder, 'kubeconform'), kubeScore: join(folder, 'kube-score') }
}
