import type { EventSchema, JobEvent, OutcomeEvent, SettleStoredRequest, SettleStoredResponse } from '@turnpike/contracts'
import type { Publisher } from '@turnpike/kafka'
import { openBackground } from './background.ts'
import type { BlockClock } from './block-clock.ts'
import { openCommitEvents } from './commit-events.ts'
import { commitOutcome, type Delivery } from './commit-outcome.ts'
import { expireResults } from './expire-results.ts'
import { pause } from './pause.ts'
import { reconcilePayments } from './reconcile.ts'
import { recordJob } from './record-job.ts'
import { repeat } from './repeat.ts'
import { settleStored } from './settle-stored.ts'
import { openSettlement, type SettlementDeps } from './settlement.ts'
import { openObjectSweep } from './sweep-objects.ts'
import { sweepOverdueJobs } from './sweep-overdue.ts'

export type LedgerDeps = Omit<SettlementDeps, 'commitEvents'> & {
  blocks: BlockClock
  publisher: Pick<Publisher, 'publish'>
  /** Of the outcomes that it publishes itself. */
  eventSchema: EventSchema
  graceMs: number
  /** Beyond this, a new payment is left to the reconciler, which works it off at its own pace. */
  settlementsAtOnce: number
}

export type Ledger = {
  recordJob(job: JobEvent): Promise<'admitted' | 'superseded'>
  commitOutcome(outcome: OutcomeEvent, delivery: Delivery): Promise<void>
  settleStored(request: SettleStoredRequest): Promise<SettleStoredResponse>
  /** One turn of each loop; true when there may be more. What `reconcile` begins goes on after its turn. */
  reconcile(): Promise<boolean>
  sweep(): Promise<boolean>
  expire(): Promise<boolean>
  sweepObjects(): Promise<boolean>
  renew(): Promise<void>
  announce(): Promise<boolean>
  /** The settlements under way have ended, or graceMs have passed: what is left then is taken over when its leases run out. */
  idle(graceMs: number): Promise<void>
}

/** The ledger's use cases over one set of resources. */
export function openLedger(deps: LedgerDeps): Ledger {
  const commitEvents = openCommitEvents(deps)
  const settlement = openSettlement({ ...deps, commitEvents })
  const background = openBackground({ atOnce: deps.settlementsAtOnce, logger: deps.logger })
  const objects = openObjectSweep(deps)
  const all = {
    ...deps,
    settlement,
    background,
    // Once transaction A is through, nothing is lost when this process dies, so no consumer slot waits for a settlement: a facilitator
    // that hangs must not hold up the recording of jobs.
    settleInBackground: (paymentId: string, traceparent?: string) => {
      if (!background.start(() => settlement.settleNew(paymentId, traceparent))) deps.metrics.deferred.count({})
    },
  }
  return {
    recordJob: (job) => recordJob(all, job),
    commitOutcome: (outcome, delivery) => commitOutcome(all, outcome, delivery),
    settleStored: (request) => settleStored(all, request),
    reconcile: () => reconcilePayments(all),
    sweep: () => sweepOverdueJobs(all),
    expire: () => expireResults(all),
    sweepObjects: () => objects.turn(),
    renew: () => settlement.renew(),
    announce: () => commitEvents.catchUp(),
    idle: (graceMs) => background.idle(graceMs),
  }
}

const RECONCILE_EVERY_MS = 250
const SWEEP_EVERY_MS = 1_000
const ANNOUNCE_EVERY_MS = 1_000
const EXPIRE_EVERY_MS = 30_000
const SWEEP_OBJECTS_EVERY_MS = 3_600_000
const IDLE_GRACE_MS = 5_000

/** Runs the loops until stopped. */
export function runLedgerLoops(ledger: Ledger, deps: Pick<LedgerDeps, 'logger' | 'leaseMs'>): { stop(): Promise<void> } {
  const { logger, leaseMs } = deps
  const loops = [
    repeat({ name: 'reconcile', everyMs: RECONCILE_EVERY_MS, work: () => ledger.reconcile(), logger }),
    repeat({ name: 'sweep', everyMs: SWEEP_EVERY_MS, work: () => ledger.sweep(), logger }),
    repeat({ name: 'sweep objects', everyMs: SWEEP_OBJECTS_EVERY_MS, work: () => ledger.sweepObjects(), logger }),
    repeat({ name: 'expire', everyMs: EXPIRE_EVERY_MS, work: () => ledger.expire(), logger }),
  ]
  const announcing = repeat({ name: 'announce', everyMs: ANNOUNCE_EVERY_MS, work: () => ledger.announce(), logger })
  // Leases are kept until the last settlement has ended, and what it commits is announced, so these loops outlive the others.
  const renewal = repeat({
    name: 'renew leases',
    everyMs: leaseMs / 3,
    work: () => ledger.renew().then(() => undefined),
    logger,
  })
  return {
    async stop() {
      // A turn that waits for something which hangs is left behind; what it holds is taken over.
      await Promise.race([Promise.all(loops.map((loop) => loop.stop())), pause(IDLE_GRACE_MS)])
      await ledger.idle(IDLE_GRACE_MS)
      await renewal.stop()
      await announcing.stop()
      await ledger.announce()
    },
  }
}
