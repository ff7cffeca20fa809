import { sendCopy, WORK, type Work } from '@turnpike/crowd'
import { until } from '@turnpike/testing'
import { type Begun, beginFault, type FaultDeps, last, waitingOf } from './begin-fault.ts'
import type { Fault, PlannedFault } from './fault.ts'
import { type Caught, catchMoment } from './moments.ts'

export type StruckFault = PlannedFault & {
  /** Numbers of the paid requests that it met. */
  inFlight: number[]
  /** From healing, or from the strike where the service comes back by itself, until work of every kind that was asked for then is paid. */
  recoveredMs: number
  /** Another one struck while it lasted. */
  together?: PlannedFault
}

const HIT_MS = 40_000
const RECOVERY_MS = 90_000
const PROBE_PATIENCE_MS = 6_000

/** One fault from the moment that it waits for to the first paid request after it. Throws when it hits nothing or nothing recovers. */
export async function strike(deps: FaultDeps, planned: PlannedFault, meanwhile?: PlannedFault): Promise<StruckFault> {
  const { crowd, upstream } = deps
  const { fault, moment, forMs, number } = planned
  const picksItsOwn = fault.kind === 'upstream' || fault.kind === 'facilitator'
  const caught: Caught = picksItsOwn
    ? { requests: [], release: () => {} }
    : await catchMoment({ crowd, upstream, facilitatorProxy: deps.stack.facilitatorProxy }, moment, worksOf(fault))
  const struckAt = Date.now()
  let begun: Begun
  try {
    begun = await beginFault(deps, fault, caught.requests[0])
  } finally {
    caught.release()
  }
  let hit = caught.requests
  let other: Begun | undefined
  try {
    if (picksItsOwn || fault.kind === 'node') {
      hit = await until(
        `fault ${number} hits a paid request`,
        () => {
          const touched = begun.touched()
          return touched.length === 0 ? undefined : touched
        },
        HIT_MS,
      )
    }
    if (meanwhile !== undefined) {
      if (waitingOf(crowd).length === 0) throw new Error(`fault ${meanwhile.number} found no paid request in flight`)
      other = await beginFault(deps, meanwhile.fault, undefined)
    }
    if (!begun.healsItself) await last(forMs)
  } catch (error) {
    await Promise.all([begun.heal(), other?.heal()])
    throw error
  }
  let from = struckAt
  let recoveredAt: number
  if (begun.healsItself && other === undefined) {
    ;[recoveredAt] = await Promise.all([everythingSells(deps), begun.heal()])
  } else {
    // Together: one may need the other to come back.
    await Promise.all([begun.heal(), other?.heal()])
    from = Date.now()
    recoveredAt = await everythingSells(deps)
  }
  return {
    ...planned,
    inFlight: hit.map((request) => request.number),
    recoveredMs: recoveredAt - from,
    ...(meanwhile === undefined ? {} : { together: meanwhile }),
  }
}

/** What the fault has to meet: a worker that dies is in the way of its own kind. */
function worksOf(fault: Fault): readonly Work[] {
  switch (fault.kind === 'service' ? fault.service : undefined) {
    case 'text-worker':
      return ['text']
    case 'media-worker':
      return ['image', 'speech']
    case 'transcription-worker':
      return ['transcription']
    default:
      return WORK
  }
}

/** One fresh request of each kind of work is paid and answered; returns when that was. */
async function everythingSells(deps: FaultDeps): Promise<number> {
  await Promise.all(WORK.map((work) => firstPaid(deps, work)))
  return Date.now()
}

/** Sends a fresh request to every gateway in turn until it is paid and answered. */
async function firstPaid({ crowd }: FaultDeps, work: Work): Promise<void> {
  let request = crowd.add(work)
  let payment: string | undefined
  let gateway = 0
  await until(
    `a fresh request for ${work} is paid and answered`,
    async () => {
      const answer = await sendCopy(crowd.deps, request, { gateway: gateway++, payment, hangUpAfterMs: PROBE_PATIENCE_MS })
      if (answer.kind === 'challenged') payment = await answer.sign()
      if (answer.kind === 'closed') {
        request = crowd.add(work)
        payment = undefined
      }
      return answer.kind === 'paid'
    },
    RECOVERY_MS,
  )
}
