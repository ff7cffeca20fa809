import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, statSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from './find-program.ts'
import { descendantsOf, endProcess, identify, type ProcessIdentity, signalProcess, waitUntilGone } from './process-identity.ts'
import { outputOf } from './run-tool.ts'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** What ends it in an orderly way. */
  readonly stopSignal: NodeJS.Signals
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface RunningProcess extends ProcessIdentity {
  readonly command: Command
  readonly exited: Promise<Exit>
  exit(): Exit | undefined
  stop(graceMs: number): Promise<'ended' | 'killed'>
  kill(): Promise<void>
}

const maxLogBytes = 20 * 1024 * 1024

/**
 * Starts a process whose output goes straight into its log file, without a pipe through us: it outlives nobody's buffer and never blocks.
 * It runs in a session of its own, so that Ctrl-C in the terminal reaches the supervisor alone, which then stops everything in order.
 */
export function startProcess(command: Command, logFile: string): RunningProcess {
  const log = openLog(logFile)
  const { program, args } = endingWithParent(command)
  const child = spawn(program, args, {
    env: command.env,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  let exit: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    child.on('exit', (code, signal) => {
      exit = { code, signal }
      resolve(exit)
    })
    child.on('error', () => {
      exit ??= { code: 127, signal: null }
      resolve(exit)
    })
  })
  const identity = child.pid === undefined ? undefined : identify(child.pid)
  if (identity === undefined) throw new StackFailure(`${command.program} cannot be started on this machine.`)
  return {
    ...identity,
    command,
    exited,
    exit: () => exit,
    stop: (graceMs) => endProcess(identity, command.stopSignal, graceMs),
    kill: async () => {
      // What it started goes with it, or the next start would meet the rest of the last one.
      const family = [identity, ...descendantsOf(identity.pid)]
      for (const member of family) signalProcess(member, 'SIGKILL')
      await waitUntilGone(family, 5_000)
    },
  }
}

export function describeExit(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code}` : exit.signal
}

/** Where util-linux is there, the kernel ends the process when its parent dies without a chance to do so itself. */
export function endingWithParent<Start extends Pick<Command, 'program' | 'args' | 'stopSignal'>>(
  command: Start,
): Pick<Command, 'program' | 'args'> {
  const setpriv = pdeathsigProgram()
  if (setpriv === null) return command
  return { program: setpriv, args: ['--pdeathsig', command.stopSignal.slice(3), '--', command.program, ...command.args] }
}

let knownSetpriv: string | null | undefined
function pdeathsigProgram(): string | null {
  if (knownSetpriv === undefined) {
    const setpriv = findProgram('setpriv')
    // Busybox has a setpriv without this option.
    knownSetpriv = setpriv !== undefined && outputOf(setpriv, ['--pdeathsig', 'TERM', 'true']) !== undefined ? setpriv : null
  }
  return knownSetpriv
}

function openLog(logFile: string): number {
  mkdirSync(dirname(logFile), { recursive: true })
  if (existsSync(logFile) && statSync(logFile).size > maxLogBytes) truncateSync(logFile)
  return openSync(logFile, 'a', 0o600)
}
