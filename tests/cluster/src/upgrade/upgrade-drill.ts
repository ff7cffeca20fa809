import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAudit } from '@turnpike/crowd'
import { auditorEnvironment, freePort, runAuditor, type StackHandle, startStack } from '@turnpike/local'
import { forwardTcp } from '../beside/tcp-forward.ts'
import { countOutcomes, writtenBetween } from '../events/count-outcomes.ts'
import { type Facts, type Load, type Site, type StepResult, underLoad } from '../load/paid-load.ts'
import type { Options } from '../options.ts'
import { type RunReport, stepLine } from '../report.ts'
import type { Progress } from '../run-in-cluster.ts'
import { prepareCheckout } from './older-checkout.ts'
import { type SharedParts, startSharedParts } from './shared-parts.ts'

/** A release and what it writes. */
type Release = 'older' | 'newer, old schema' | 'newer, new schema'
const SIDE_BY_SIDE_REQUESTS = 25

/**
 * Two releases side by side on one Kafka, Postgres, Redis and S3, as a rolling upgrade has them, under paid load: the newer one joins the
 * older and stays, then turns to its own schema of events, then all of it goes back. Each release is its code: the older one is a commit.
 */
export async function runUpgradeDrill(options: Options, { say, signal }: Progress): Promise<RunReport> {
  const startedAt = new Date().toISOString()
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-upgrade-'))
  const done: StepResult[] = []
  const shared = await startSharedParts(join(folder, 'parts'))
  const running = new Map<Release, StackHandle>()
  try {
    const commit = options.upgrade?.from ?? ''
    const startOlder = await prepareCheckout(join(folder, 'older'), commit)
    say(`release ${commit} is ready to run beside this one`)
    const front = await openFront(() => [...running.values()].flatMap(({ stack }) => stack.gateways))
    const deps = { folder, shared, front, running, startOlder }
    try {
      await startRelease(deps, 'older')
      say('the older release serves')
      for (const [joins, leaves] of MOVES) {
        if (signal.aborted) break
        const step = `${joins} replaces ${leaves}`
        say(`${step} …`)
        const { clients, seed } = options
        const result = await underLoad(siteOf(deps), { step, clients, seed, repeats: 'none' }, (load) =>
          replace(deps, load, { joins, leaves }),
        )
        done.push(result)
        say(stepLine(result))
        for (const what of result.differences) say(`  ${what}`)
      }
      const finalAudit = await auditWith(deps, 0n)
      return { startedAt, seed: options.seed, clients: options.clients, steps: done, finalAudit }
    } finally {
      await front.close()
    }
  } finally {
    for (const handle of running.values()) await handle.stop()
    await shared.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each in the state that the one before left. */
const MOVES: readonly (readonly [joins: Release, leaves: Release])[] = [
  ['newer, old schema', 'older'],
  ['newer, new schema', 'newer, old schema'],
  ['newer, old schema', 'newer, new schema'],
  ['older', 'newer, old schema'],
]

type Deps = {
  folder: string
  shared: SharedParts
  front: Front
  running: Map<Release, StackHandle>
  startOlder: typeof startStack
}

async function replace(deps: Deps, load: Load, { joins, leaves }: { joins: Release; leaves: Release }): Promise<Facts> {
  const before = await countOutcomes(deps.shared.brokers)
  await startRelease(deps, joins)
  await load.untilPaid(SIDE_BY_SIDE_REQUESTS)
  const together = await countOutcomes(deps.shared.brokers)
  const leaving = deps.running.get(leaves)
  // It gets no new connections first, as a pod that ends.
  deps.running.delete(leaves)
  await leaving?.stop()
  await load.untilPaid(SIDE_BY_SIDE_REQUESTS)
  const after = await countOutcomes(deps.shared.brokers)
  if (after.deadLetters > 0) throw new Error(`${after.deadLetters} events could not be read and lie in dead-letter topics`)
  return {
    'outcomes side by side': JSON.stringify(writtenBetween(before, together)),
    'and after': JSON.stringify(writtenBetween(together, after)),
    'dead letters': after.deadLetters,
  }
}

/** On its own home, with the keys and the database role that the first one made. */
async function startRelease({ folder, shared, front, running, startOlder }: Deps, release: Release): Promise<void> {
  const home = join(folder, 'homes', release.replaceAll(/[^a-z]+/g, '-'))
  const first = join(folder, 'homes', 'older')
  if (home !== first) {
    mkdirSync(join(home, 'data'), { recursive: true, mode: 0o700 })
    for (const kept of ['identity.json', join('data', 'ledger-role')]) {
      if (existsSync(join(first, kept)) && !existsSync(join(home, kept)))
        cpSync(join(first, kept), join(home, kept), { recursive: true })
    }
  }
  const start = release === 'older' ? startOlder : startStack
  const env = {
    ...shared.env,
    PUBLIC_BASE_URL: front.url,
    EVENT_SCHEMA: release === 'newer, new schema' ? 'current' : 'previous',
  }
  running.set(release, await start({ home, port: await freePort(), env }))
}

function siteOf(deps: Deps): Site {
  const { shared, front } = deps
  return {
    gateways: [front.url],
    payTo: shared.payTo,
    rpcUrl: shared.rpcUrl,
    sandboxAdminUrl: shared.sandboxAdminUrl,
    fund: shared.fund,
    audit: (fromBlock) => auditWith(deps, fromBlock),
  }
}

async function auditWith({ running, front, shared }: Deps, fromBlock: bigint) {
  const [handle] = running.values()
  if (handle === undefined) throw new Error('no release runs')
  const env = { ...auditorEnvironment(handle.home), GATEWAY_URL: front.url, FACILITATOR_SIGNERS: shared.signer }
  return readAudit(await runAuditor(env, ['--json', '--from', fromBlock.toString()]))
}

type Front = { url: string; close(): Promise<void> }

/** One address before whatever gateways there are, as a Service is. */
async function openFront(gateways: () => readonly string[]): Promise<Front> {
  let turn = 0
  const next = () => {
    const now = gateways()
    const chosen = now[turn++ % Math.max(1, now.length)]
    return chosen === undefined ? undefined : Number(new URL(chosen).port)
  }
  const forward = await forwardTcp('127.0.0.1', await freePort(), next)
  return { url: `http://127.0.0.1:${forward.port}`, close: forward.close }
}
