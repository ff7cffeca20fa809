import { type CommandRun, mustRun, runCommand } from './run-command.ts'

export type Values = { readonly [name: string]: unknown }

/** One release of the chart, by helm. */
export type Helm = {
  release: string
  /** Resolves when every pod of it is ready. */
  install(values: Values): Promise<void>
  upgrade(values: Values): Promise<void>
  /** Fields that an autoscaler has set since go back to what the chart says of them: Helm 4 refuses to touch them unless told. */
  upgradeOverAutoscaler(values: Values): Promise<void>
  /** Whatever its status: for an upgrade that shall fail. */
  tryUpgrade(values: Values): Promise<CommandRun>
  rollback(revision: number): Promise<void>
  /** The newest revision, whatever became of it. */
  revision(): Promise<number>
  test(): Promise<CommandRun>
  uninstall(): Promise<void>
}

const WAIT_S = 300

export function openHelm(options: { chart: string; namespace: string; release: string }): Helm {
  const { chart, namespace, release } = options
  const inNamespace = ['--namespace', namespace]
  const wait = ['--wait', '--timeout', `${WAIT_S}s`]
  const timeoutMs = (WAIT_S + 60) * 1_000
  const upgradeArgs = ['upgrade', release, chart, ...inNamespace, ...wait, '--values', '-']
  return {
    release,
    async install(values) {
      const args = ['install', release, chart, ...inNamespace, ...wait, '--values', '-']
      await mustRun('helm', args, { input: JSON.stringify(values), timeoutMs })
    },
    async upgrade(values) {
      await mustRun('helm', upgradeArgs, { input: JSON.stringify(values), timeoutMs })
    },
    async upgradeOverAutoscaler(values) {
      // Helm 3 asks nobody before it overwrites a field, and has no word for it.
      const overwrites = (await mustRun('helm', ['version', '--template', '{{.Version}}'])).startsWith('v3.')
      const args = overwrites ? upgradeArgs : [...upgradeArgs, '--force-conflicts']
      await mustRun('helm', args, { input: JSON.stringify(values), timeoutMs })
    },
    tryUpgrade: (values) => runCommand('helm', upgradeArgs, { input: JSON.stringify(values), timeoutMs }),
    async rollback(revision) {
      await mustRun('helm', ['rollback', release, String(revision), ...inNamespace, ...wait], { timeoutMs })
    },
    async revision() {
      const text = await mustRun('helm', ['history', release, ...inNamespace, '--output', 'json', '--max', '1'])
      const [newest] = JSON.parse(text) as { revision: number }[]
      if (newest === undefined) throw new Error(`helm knows no release ${release}`)
      return newest.revision
    },
    test: () => runCommand('helm', ['test', release, ...inNamespace, '--timeout', `${WAIT_S}s`, '--logs'], { timeoutMs }),
    async uninstall() {
      await mustRun('helm', ['uninstall', release, ...inNamespace, ...wait, '--ignore-not-found'], { timeoutMs })
    },
  }
}
