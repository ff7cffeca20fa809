// Fetches and builds what the checks of the Helm chart are made of, once per machine. Runs beside the other tests, which come first.
import { constants, setPriority } from 'node:os'
import { StackFailure } from './failure.ts'
import { obtainHelm } from './software/helm.ts'
import { obtainKubeCheckers } from './software/kube-checkers.ts'

setPriority(constants.priority.PRIORITY_LOW)
const deps = { say: (line: string) => void process.stdout.write(`${line}\n`), signal: new AbortController().signal }
try {
  await obtainHelm(deps)
  await obtainKubeCheckers(deps)
} catch (error) {
  if (!(error instanceof StackFailure)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
