import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { freePort } from '@turnpike/local'

export type WorkerProcess = { pid: number; stop(): Promise<void> }

const MAIN = resolve(import.meta.dirname, '../../../../services/text-worker/src/main.ts')
const READY_TIMEOUT_MS = 60_000
const ASK_EVERY_MS = 100
const STOP_TIMEOUT_MS = 30_000

/** A text worker as it is deployed, taking part in its group when this resolves. */
export async function startWorkerProcess(env: Readonly<Record<string, string>>, logFile: string): Promise<WorkerProcess> {
  const port = await freePort()
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', INTERNAL_PORT: String(port), ...env },
    stdio: ['ignore', log, log],
    // A Ctrl-C in the terminal is ours to act on.
    detached: true,
  })
  closeSync(log)
  const ended = new Promise<void>((end) => child.once('exit', () => end()))
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(timer)
  }
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (!(await isReady(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`a text worker did not become ready; its log is ${logFile}`)
    }
    await new Promise((next) => setTimeout(next, ASK_EVERY_MS))
  }
  return { pid: child.pid ?? 0, stop }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}
