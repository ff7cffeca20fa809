import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type StackHandle, startStack } from '@turnpike/local'
import { type BenchChild, startChild } from './child-process.ts'
import type { LoadPlan, LoadResult } from './load/load-plan.ts'
import { isAlive } from './machine/cores.ts'

/** `pids` is empty until it is up; `stop` waits for that, so that a start can be given up half-way. */
type Started = { name: string; pids: () => number[]; stop: () => Promise<unknown> }

type Ways<Party> = { pids: (party: Party) => number[]; stop: (party: Party) => Promise<unknown> }

const HERE = import.meta.dirname

export type BenchRun = {
  folder: string
  load: BenchChild
  upstream: BenchChild
  drive(plan: LoadPlan): Promise<LoadResult>
  /** A stack of our own on a home of its own, its upstream the shared one. */
  startStack(name: string, env?: Readonly<Record<string, string>>): Promise<StackHandle>
  startReference(name: string, env: { payTo: string; facilitatorUrl: string }): Promise<BenchChild & { url: string }>
  startStubSettlement(): Promise<BenchChild & { url: string }>
  startSlowUpstream(latencyMs: number): Promise<BenchChild & { url: string }>
  /** Starts something else that is ended with the run. */
  track<Party>(name: string, start: () => Promise<Party>, ways: Ways<Party>): Promise<Party>
  /** Ends one of them before the others. */
  stop(party: { readonly pid: number }): Promise<void>
  /** Ends everything that was started, last first; returns what still runs afterwards. The folder is kept for its logs if asked. */
  close(options: { keepFolder: boolean }): Promise<string[]>
}

// A stack of ours takes nothing from the caller's environment.
const NOT_INHERITED = [
  ...['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS', 'S3_ENDPOINT', 'CHAIN_RPC_URL', 'PAY_TO', 'FACILITATOR_URL'],
  ...['TURNPIKE_REPLICAS', 'TURNPIKE_BLOCK_TIME', 'TURNPIKE_PROVIDER_TIMEOUT_MS', 'TEXT_ROUTES', 'ENABLED_MODELS'],
]

/** The parties of a run. What was started is ended by `close`, also when a start fails half-way. */
export async function openBenchRun(): Promise<BenchRun> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  mkdirSync(join(folder, 'logs'))
  const upstreamKey = randomBytes(16).toString('hex')
  let started: Started[] = []
  const left: string[] = []

  /** Known before it is up: an interruption in the middle of a start must end it too. */
  async function track<Party>(name: string, start: () => Promise<Party>, ways: Ways<Party>): Promise<Party> {
    if (isClosing) throw new Error('the run is over')
    let party: Party | undefined
    const starting = start()
    started.push({
      name,
      pids: () => (party === undefined ? [] : ways.pids(party)),
      stop: async () => ways.stop(await starting),
    })
    party = await starting
    return party
  }

  const child = <Ready>(name: string, file: string, env: Record<string, string> = {}): Promise<BenchChild & { ready: Ready }> =>
    track(name, () => startChild<Ready>({ name, file: join(HERE, file), env, logFile: join(folder, 'logs', `${name}.log`) }), {
      pids: ({ pid }) => [pid],
      stop: (running) => running.stop(),
    })

  async function end({ name, pids, stop }: Started): Promise<void> {
    const known = pids()
    await stop().catch(() => {})
    for (const pid of known.length > 0 ? known : pids()) if (isAlive(pid)) left.push(`${name} (${pid})`)
  }

  let isClosing = false
  async function close({ keepFolder }: { keepFolder: boolean }): Promise<string[]> {
    isClosing = true
    for (const party of started.splice(0).reverse()) await end(party)
    if (!keepFolder) rmSync(folder, { recursive: true, force: true })
    return left
  }

  try {
    const upstream = await child<{ geminiUrl: string; elevenlabsUrl: string }>('upstream', 'parties/upstream.ts', {
      UPSTREAM_KEY: upstreamKey,
    })
    const load = await child('load', 'load/load-process.ts')
    return {
      folder,
      load,
      upstream,
      drive: async (plan) => (await load.ask(plan)) as LoadResult,
      async startStack(name, env = {}) {
        const port = await freePort()
        const start = () =>
          startStack({
            home: join(folder, name),
            port,
            env: {
              ...Object.fromEntries(NOT_INHERITED.map((variable) => [variable, undefined])),
              ...{ GEMINI_BASE_URL: upstream.ready.geminiUrl, GEMINI_API_KEY: upstreamKey },
              ...{ ELEVENLABS_BASE_URL: upstream.ready.elevenlabsUrl, ELEVENLABS_API_KEY: upstreamKey },
              ...env,
            },
          })
        return track(`stack ${name}`, start, {
          pids: ({ pid, stack }) => [pid, ...stack.processes.map((process) => process.pid)],
          stop: (handle) => handle.stop(),
        })
      },
      async startReference(name, { payTo, facilitatorUrl }) {
        const running = await child<{ url: string }>(`reference-${name}`, 'parties/reference-server.ts', {
          PAY_TO: payTo,
          FACILITATOR_URL: facilitatorUrl,
          UPSTREAM_URL: upstream.ready.geminiUrl,
          UPSTREAM_KEY: upstreamKey,
        })
        return { ...running, url: running.ready.url }
      },
      async startStubSettlement() {
        const running = await child<{ url: string }>('stub-settlement', 'parties/stub-settlement.ts')
        return { ...running, url: running.ready.url }
      },
      async startSlowUpstream(latencyMs) {
        const running = await child<{ url: string }>('slow-upstream', 'parties/slow-upstream.ts', {
          LATENCY_MS: String(latencyMs),
        })
        return { ...running, url: running.ready.url }
      },
      track,
      async stop({ pid }) {
        const ending = started.filter(({ pids }) => pids().includes(pid))
        started = started.filter((party) => !ending.includes(party))
        for (const party of ending) await end(party)
      },
      close,
    }
  } catch (error) {
    await close({ keepFolder: true })
    throw error
  }
}
