import { existsSync, readFileSync } from 'node:fs'
import type { Home } from '../home.ts'
import { endProcess, isAlive, type ProcessIdentity } from '../process/process-identity.ts'
import { writeAtomically } from '../write-atomically.ts'

/** A process of this home, as the next start needs to know it. */
export interface RecordedProcess extends ProcessIdentity {
  readonly name: string
  readonly stopSignal: NodeJS.Signals
}

export function recordProcesses(home: Home, processes: readonly RecordedProcess[]): void {
  writeAtomically(home.processesFile, processes)
}

/** Ends what a supervisor left behind that could not end it itself. Says how many there were. */
export async function endLeftovers(home: Home): Promise<number> {
  if (!existsSync(home.processesFile)) return 0
  const recorded = JSON.parse(readFileSync(home.processesFile, 'utf8')) as RecordedProcess[]
  const left = recorded.filter(isAlive)
  // The last started first, and each for itself: a half-dead stack has no order worth waiting for.
  await Promise.all(left.toReversed().map((orphan) => endProcess(orphan, orphan.stopSignal, 6_000)))
  recordProcesses(home, [])
  return left.length
}
