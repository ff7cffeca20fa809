import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '@turnpike/testing'

export type LedgerProcess = {
  url: string
  output(): string
  isAlive(): boolean
  /** Waits for it to end and returns its exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

// A start is two seconds of processor time; beside all other tests of a small machine it has waited for half a minute.
const READY_MS = 90_000

/** The service as it runs in production: its own process, configured by its environment. */
export async function startLedgerProcess(env: Record<string, string>): Promise<LedgerProcess> {
  const port = await freePort()
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../main.ts')], {
    // Whoever runs the tests may keep what Node compiled: a start is mostly that.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, INTERNAL_PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${output.slice(-1_000)}`)
      return (await fetch(`${url}/readyz`)).status === 200
    }
    await until('readiness of the ledger', isReady, READY_MS)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return {
    url,
    output: () => output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill(signal)
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
