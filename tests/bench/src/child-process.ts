import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export type BenchChild = {
  name: string
  pid: number
  /** Sends one question and waits for its answer; one at a time. */
  ask(question: unknown): Promise<unknown>
  stop(): Promise<void>
}

const READY_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 5_000

/** Starts a program of ours beside us. It sends one message when it is ready, and ends when we do: the channel closes with us. */
export async function startChild<Ready>(program: {
  name: string
  file: string
  env?: Readonly<Record<string, string>>
  logFile: string
}): Promise<BenchChild & { ready: Ready }> {
  const log = openSync(program.logFile, 'a', 0o600)
  const child = fork(program.file, [], {
    env: { ...process.env, NODE_ENV: 'production', ...program.env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', log, log, 'ipc'],
    // A Ctrl-C in the terminal is ours to act on.
    detached: true,
  })
  closeSync(log)
  const ready = (await nextMessage(child, program, READY_TIMEOUT_MS).catch(async (error: unknown) => {
    await stop(child)
    throw error
  })) as Ready
  return {
    name: program.name,
    pid: child.pid ?? 0,
    ready,
    ask(question) {
      const answer = nextMessage(child, program)
      child.send(question as Parameters<ChildProcess['send']>[0])
      return answer
    },
    stop: () => stop(child),
  }
}

function nextMessage(
  child: ChildProcess,
  { name, logFile }: { name: string; logFile: string },
  timeoutMs?: number,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => settle(() => reject(new Error(`${name} did not become ready`))), timeoutMs)
    const settle = (end: () => void) => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      end()
    }
    const onMessage = (message: unknown) => settle(() => resolve(message))
    const onExit = () => settle(() => reject(new Error(`${name} ended; its log is ${logFile}`)))
    child.on('message', onMessage)
    child.on('exit', onExit)
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
