import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StackFailure } from './failure.ts'
import { homeAt } from './home.ts'
import { ownerOf } from './process/lock-file.ts'
import { endingWithParent } from './process/running-process.ts'
import { readStack, runningStack, type Stack } from './stack-file.ts'
import { sendControl } from './supervisor/control-socket.ts'
import type { PartAction } from './supervisor/lifecycle.ts'

export interface StartStackOptions {
  readonly home: string
  readonly port: number
  /** As TURNPIKE_REPLICAS. */
  readonly replicas?: string | number
  /** Set for the stack, on top of this process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Off by default. */
  readonly demo?: boolean
}

export interface StackHandle {
  readonly home: string
  /** The supervisor's. */
  readonly pid: number
  /** As the stack file says at this moment. */
  readonly stack: Stack
  /** Ends the stack as Ctrl-C does; returns its exit code when nothing of it runs. */
  stop(): Promise<number | null>
}

/** Starts a whole stack in a process of its own and waits until everything answers. Rejects with the sentence that a person would read. */
export async function startStack(options: StartStackOptions): Promise<StackHandle> {
  const home = homeAt(options.home)
  mkdirSync(join(options.home, 'logs'), { recursive: true, mode: 0o700 })
  const output = openSync(join(options.home, 'logs', 'start.log'), 'a', 0o600)
  const { program, args } = endingWithParent({
    program: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=TimeoutNegativeWarning',
      join(import.meta.dirname, 'start.ts'),
    ],
    stopSignal: 'SIGTERM',
  })
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...options.env,
      TURNPIKE_HOME: options.home,
      TURNPIKE_PORT: String(options.port),
      TURNPIKE_DEMO: options.demo === true ? '1' : '0',
      ...(options.replicas === undefined ? {} : { TURNPIKE_REPLICAS: String(options.replicas) }),
    },
    stdio: ['ignore', output, 'pipe'],
    // A Ctrl-C that ends a test run must leave the order of the stop to the one who asks for it.
    detached: true,
  })
  closeSync(output)
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = `${complaint}${chunk}`.slice(-4_000)
  })
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  let hasClosed = false
  void closed.then(() => {
    hasClosed = true
  })
  for (;;) {
    if (hasClosed) throw new StackFailure(complaint.trim() || 'The stack ended at its start without a word.')
    if (readStack(home) !== undefined && ownerOf(home.supervisorFile)?.pid === child.pid) break
    await Promise.race([sleep(50), closed])
  }
  let last = runningStack(home)
  return {
    home: options.home,
    pid: child.pid ?? 0,
    get stack() {
      last = readStack(home) ?? last
      return last
    },
    stop: async () => {
      if (!hasClosed) child.kill('SIGTERM')
      return await closed
    },
  }
}

/** Acts on one infrastructure process of the stack that runs on a home. Rejects with the stack's own sentence. */
export async function part(home: string, action: PartAction, name: string): Promise<void> {
  const { ok, sentence } = await sendControl(homeAt(home), action, name)
  if (!ok) throw new StackFailure(sentence)
}
