import {
  type AuditFound,
  type Books,
  type CallsPerCharge,
  countCalls,
  finishAll,
  type Random,
  readBooks,
  startCrowd,
  untilQuiet,
} from '@turnpike/crowd'
import { runAudit } from './audit.ts'
import type { FaultDeps } from './begin-fault.ts'
import { describeFault, type PlannedFault } from './fault.ts'
import { type FaultyStack, startFaultyStack } from './faulty-stack.ts'
import { type StruckFault, strike } from './strike.ts'
import { openUpstream } from './upstream.ts'

/** A stack under load that takes faults, and the account that is settled with it afterwards. */
export type FaultRun = FaultDeps & {
  struck: StruckFault[]
  strike(planned: PlannedFault, meanwhile?: PlannedFault): Promise<StruckFault>
  /** Ends the load, brings every request to its end, replays every paid one, reads the books. */
  settleUp(): Promise<Outcome>
  stop(options: { keepHome: boolean }): Promise<void>
}

export type Outcome = {
  /** The clients' side: what they got against the chain. */
  books: Books
  /** The seller's side: its rows, results and receipts against the chain. */
  audit: AuditFound
  /** What no fault excuses, in words. */
  violations: string[]
  unfinished: string[]
  /** Paid requests that were fetched again with another signature, every one of them. */
  replayed: number
  upstreamCalls: CallsPerCharge
}

const WALLETS = 12
const USDC_EACH = 50
/** Longer than a settlement that was held or is retried. */
const QUIET_MS = 1_500

export async function startFaultRun(options: { random: Random; clients: number }): Promise<FaultRun> {
  const stack = await startFaultyStack()
  try {
    return await loadStack(stack, options)
  } catch (error) {
    await stack.stop({ keepHome: true })
    throw error
  }
}

async function loadStack(stack: FaultyStack, { random, clients }: { random: Random; clients: number }): Promise<FaultRun> {
  const { gateways } = stack.handle.stack
  const wallets = await stack.fund(WALLETS, USDC_EACH)
  const upstream = openUpstream(() => stack.handle.stack)
  await upstream.misbehave([])
  const crowd = startCrowd({ gateways, wallets, clients, random: random.fork('clients') })
  const deps: FaultDeps = { stack, crowd, upstream }
  const struck: StruckFault[] = []
  return {
    ...deps,
    struck,
    async strike(planned, meanwhile) {
      try {
        const result = await strike(deps, planned, meanwhile)
        struck.push(result)
        return result
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`fault ${planned.number} (${describeFault(planned)}): ${why}`, { cause: error })
      }
    },
    async settleUp() {
      await crowd.stop()
      const unfinished = await finishAll(
        crowd.deps,
        crowd.requests.filter((request) => request.paid === undefined),
      )
      // Then everybody who paid asks once more: what was paid a moment ago must come back the same, too.
      const paid = crowd.requests.filter((request) => request.paid !== undefined)
      const before = new Map(paid.map((request) => [request, request.paid?.replays ?? 0]))
      const lost = await finishAll(crowd.deps, paid)
      await untilQuiet(stack.chain, QUIET_MS)
      await upstream.refresh()
      return {
        books: await readBooks({ payTo: stack.payTo, rpcUrl: stack.chain.rpcUrl, crowd }),
        audit: await runAudit(stack),
        violations: [...crowd.violations],
        unfinished: [
          ...unfinished.map(({ request, lastSeen }) => `request ${request.number} never ended: ${lastSeen}`),
          ...lost.map(({ request, lastSeen }) => `request ${request.number} is paid and cannot be fetched: ${lastSeen}`),
        ],
        replayed: paid.filter((request) => (request.paid?.replays ?? 0) > (before.get(request) ?? 0)).length,
        upstreamCalls: countCalls(
          crowd,
          upstream.calls().map(({ text }) => text),
        ),
      }
    },
    async stop(stopOptions) {
      upstream.close()
      await crowd.stop()
      await stack.stop(stopOptions)
    },
  }
}
