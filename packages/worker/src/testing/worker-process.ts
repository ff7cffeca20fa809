import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export type WorkerProcess = {
  /** Everything it has printed. */
  log(): string
  internalUrl(): string
  isAlive(): boolean
  /** Resolves with the exit code. */
  terminate(): Promise<number | null>
  kill(): Promise<void>
}

/** Starts a worker as it is deployed (`main` is the path of its main.ts) and waits until it says that it is ready. */
export async function startWorkerProcess(main: string, env: Record<string, string>): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      // Whoever runs the tests may keep what Node compiled: a start is mostly that.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...{ HOST: '127.0.0.1', INTERNAL_PORT: '0', LOG_FORMAT: 'json', LOG_LEVEL: 'debug' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const ready = Promise.withResolvers<number>()
  const read = (chunk: Buffer): void => {
    log += chunk.toString('utf8')
    const line = /^\{.*"msg":"ready".*\}$/m.exec(log)?.[0]
    if (line !== undefined) ready.resolve((JSON.parse(line) as { port: number }).port)
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const exited = once(child, 'exit')
  exited.then(() => ready.reject(new Error(`the worker ended before it was ready:\n${log}`))).catch(() => {})
  const port = await ready.promise
  return {
    log: () => log,
    internalUrl: () => `http://127.0.0.1:${port}`,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    terminate: () => end(child, exited, 'SIGTERM'),
    async kill() {
      await end(child, exited, 'SIGKILL')
    },
  }
}

async function end(child: ChildProcess, exited: Promise<unknown[]>, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  child.kill(signal)
  await exited
  return child.exitCode
}
