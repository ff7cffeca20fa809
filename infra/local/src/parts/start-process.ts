import { setTimeout as sleep } from 'node:timers/promises'
import { StackFailure } from '../failure.ts'
import { type Command, describeExit, type RunningProcess, startProcess } from '../process/running-process.ts'

export interface Start {
  /** What to call it in a sentence. */
  readonly title: string
  readonly command: Command
  readonly logFile: string
  readonly answers: () => Promise<boolean>
  readonly readyTimeoutMs: number
  readonly signal: AbortSignal
  /** Told at once, so that whoever keeps the list of processes knows of it before anything else can happen. */
  readonly onStarted?: (running: RunningProcess) => void
}

/** Starts a process and waits until it answers. When it does not, it is ended again, and the sentence names its log. */
export async function startAndWait(start: Start): Promise<RunningProcess> {
  start.signal.throwIfAborted()
  const running = startProcess(start.command, start.logFile)
  start.onStarted?.(running)
  try {
    await untilAnswers(start, running)
    return running
  } catch (error) {
    await running.stop(2_000)
    throw error
  }
}

export async function untilAnswers(start: Omit<Start, 'command' | 'onStarted'>, running: RunningProcess): Promise<void> {
  const deadline = Date.now() + start.readyTimeoutMs
  let pauseMs = 20
  for (;;) {
    start.signal.throwIfAborted()
    const exit = running.exit()
    if (exit !== undefined)
      throw new StackFailure(`${start.title} ended at its start (${describeExit(exit)}); see ${start.logFile}.`)
    if (await start.answers().catch(() => false)) {
      // An answer counts only while our process lives: another program on its port could have given it.
      if (running.exit() === undefined) return
      continue
    }
    if (Date.now() > deadline) {
      throw new StackFailure(`${start.title} did not answer within ${start.readyTimeoutMs / 1000} s; see ${start.logFile}.`)
    }
    await Promise.race([sleep(pauseMs), running.exited])
    pauseMs = Math.min(pauseMs * 1.5, 250)
  }
}
