import { type CommandRun, mustRun, runCommand } from './run-command.ts'

/** The name of the release under test. */
export const RELEASE = 'turnpike'

export type KubeObject = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  [more: string]: unknown
}

export type Pod = {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { containers: { name: string; image: string }[] }
  status: {
    phase: string
    podIP?: string
    conditions?: { type: string; status: string }[]
    containerStatuses?: { restartCount: number; state?: { waiting?: { reason?: string } } }[]
  }
}

/** One namespace of the cluster that KUBECONFIG names, by kubectl. */
export type Kube = {
  namespace: string
  kubectl(args: readonly string[], options?: { input?: string; timeoutMs?: number }): Promise<string>
  /** Whatever its status: for what is expected to be refused. */
  tryKubectl(args: readonly string[], options?: { input?: string; timeoutMs?: number }): Promise<CommandRun>
  apply(...objects: readonly KubeObject[]): Promise<void>
  get<T>(kind: string, name: string): Promise<T>
  pods(labels: Readonly<Record<string, string>>): Promise<Pod[]>
}

export function openKube(namespace: string): Kube {
  const scoped = (args: readonly string[]) => ['--namespace', namespace, ...args]
  const kubectl: Kube['kubectl'] = (args, options) => mustRun('kubectl', scoped(args), options)
  return {
    namespace,
    kubectl,
    tryKubectl: (args, options) => runCommand('kubectl', scoped(args), options),
    async apply(...objects) {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
      await kubectl(['apply', '-f', '-'], { input })
    },
    get: async (kind, name) => JSON.parse(await kubectl(['get', kind, name, '-o', 'json'])),
    async pods(labels) {
      const selector = Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')
      return (JSON.parse(await kubectl(['get', 'pods', '-l', selector, '-o', 'json'])) as { items: Pod[] }).items
    },
  }
}

export function isReady({ metadata, status }: Pod): boolean {
  const isTrue = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  return isTrue && metadata.deletionTimestamp === undefined
}
