import { spawn, spawnSync } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StackFailure } from '../failure.ts'
import { endProcess, identify } from './process-identity.ts'

export interface ToolDeps {
  /** Says one line of progress. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

export interface ToolRun {
  readonly doing: string
  readonly program: string
  readonly args: readonly string[]
  readonly logFile: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

const progressEveryMs = 10_000

/** Runs a program that may take minutes, saying every ten seconds that it still does. Throws a sentence that names its log. */
export async function runTool(deps: ToolDeps, run: ToolRun): Promise<void> {
  deps.signal.throwIfAborted()
  deps.say(run.doing)
  const startedMs = Date.now()
  mkdirSync(dirname(run.logFile), { recursive: true })
  const log = createWriteStream(run.logFile, { flags: 'a' })
  const child = spawn(run.program, run.args, {
    env: { ...process.env, ...run.env },
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const progress = setInterval(() => deps.say(`${run.doing} … ${Math.round((Date.now() - startedMs) / 1000)} s`), progressEveryMs)
  const identity = child.pid === undefined ? undefined : identify(child.pid)
  const abort = () => void (identity && endProcess(identity, 'SIGTERM', 2_000))
  deps.signal.addEventListener('abort', abort)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', (error) => reject(new StackFailure(`${run.program} cannot be started: ${error.message}.`)))
      child.on('close', resolve)
    })
    deps.signal.throwIfAborted()
    if (code !== 0) throw new StackFailure(`${capital(run.doing)} failed; see ${run.logFile}.`)
  } finally {
    clearInterval(progress)
    deps.signal.removeEventListener('abort', abort)
    log.end()
  }
}

/** What a quick program prints, both streams together; undefined when it cannot be run or fails. */
export function outputOf(program: string, args: readonly string[]): string | undefined {
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: 10_000 })
  return result.status === 0 ? `${result.stdout}${result.stderr}` : undefined
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
