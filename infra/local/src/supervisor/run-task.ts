import { setTimeout as sleep } from 'node:timers/promises'
import { StackFailure } from '../failure.ts'
import { type Command, describeExit, type RunningProcess, startProcess } from '../process/running-process.ts'
import { titleOf, type Unit } from '../units/unit.ts'

/** Runs a program that has done its work when it ends with 0, within the time that its unit has. */
export async function runTask(task: {
  unit: Unit
  command: Command
  logFile: string
  signal: AbortSignal
  onStarted: (running: RunningProcess) => void
}): Promise<void> {
  const { unit, command, logFile, signal, onStarted } = task
  const running = startProcess(command, logFile)
  onStarted(running)
  const outcome = await Promise.race([
    running.exited,
    sleep(unit.readyTimeoutMs, 'late' as const, { ref: false }),
    abortOf(signal),
  ])
  if (outcome === 'aborted' || outcome === 'late') await running.stop(1_000)
  signal.throwIfAborted()
  if (outcome === 'late')
    throw new StackFailure(`${titleOf(unit)} did not finish within ${unit.readyTimeoutMs / 1000} s; see ${logFile}.`)
  if (outcome !== 'aborted' && outcome.code !== 0) {
    throw new StackFailure(`${titleOf(unit)} failed (${describeExit(outcome)}); see ${logFile}.`)
  }
}

function abortOf(signal: AbortSignal): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('aborted')
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
}
