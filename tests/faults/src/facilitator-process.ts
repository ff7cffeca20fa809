import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@turnpike/local'
import { until } from '@turnpike/testing'

export type FacilitatorProcess = {
  url: string
  pid(): number
  isReady(): Promise<boolean>
  stop(): Promise<void>
}

const RESTART_AFTER_MS = 1_000

/** The facilitator as an orchestrator keeps it: a process of its own that is started again a second after it died. */
export async function keepFacilitator(options: {
  rpcUrl: string
  signerPrivateKey: string
  payTo: string
  logFile: string
}): Promise<FacilitatorProcess> {
  const port = await freePort()
  const internalPort = await freePort(new Set([port]))
  let child: ChildProcess | undefined
  let isStopped = false
  const endWithUs = () => child?.kill('SIGKILL')
  process.on('exit', endWithUs)

  function start(): void {
    if (isStopped) return
    const log = openSync(options.logFile, 'a', 0o600)
    child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../../services/facilitator/src/main.ts')],
      {
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          HOST: '127.0.0.1',
          PORT: String(port),
          INTERNAL_PORT: String(internalPort),
          CHAIN_RPC_URL: options.rpcUrl,
          SIGNER_PRIVATE_KEY: options.signerPrivateKey,
          PAY_TO: options.payTo,
          SHUTDOWN_GRACE_MS: '5000',
        },
        stdio: ['ignore', log, log],
      },
    )
    closeSync(log)
    child.once('exit', () => {
      if (!isStopped) setTimeout(start, RESTART_AFTER_MS).unref()
    })
  }

  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${internalPort}/readyz`, { signal: AbortSignal.timeout(10_000) }).catch(
      () => undefined,
    )
    return answer?.ok === true
  }
  start()
  await until('the facilitator is ready', isReady)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: () => child?.pid ?? 0,
    isReady,
    async stop() {
      isStopped = true
      process.off('exit', endWithUs)
      const last = child
      if (last === undefined || last.exitCode !== null || last.signalCode !== null) return
      const gone = new Promise((resolve) => last.once('exit', resolve))
      last.kill('SIGCONT')
      last.kill('SIGKILL')
      await gone
    },
  }
}
