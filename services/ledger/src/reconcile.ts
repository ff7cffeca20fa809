import type { Logger } from '@turnpike/service'
import type { Background } from './background.ts'
import type { Database } from './database.ts'
import type { Settlement } from './settlement.ts'
import { claimDuePayments } from './undecided-payment.ts'

type Deps = {
  database: Database
  settlement: Pick<Settlement, 'resolve'>
  background: Pick<Background, 'start' | 'room'>
  logger: Logger
  owner: string
  leaseMs: number
}

const AT_ONCE = 50

/**
 * Takes what is due and begins to decide what the chain lets it, in the background that new settlements share: a submission may take as
 * long as a facilitator hangs, and the next turn must not wait for it. Any number of replicas may do this; true when there may be more.
 */
export async function reconcilePayments(deps: Deps): Promise<boolean> {
  const { database, settlement, background, logger, owner, leaseMs } = deps
  const atMost = Math.min(AT_ONCE, background.room())
  if (atMost === 0) return false
  const ids = await claimDuePayments(database, { owner, leaseMs, atMost })
  for (const paymentId of ids) {
    // What finds no room after all is taken again, by anybody, when its lease runs out; so is what fails.
    background.start(async () => {
      try {
        await settlement.resolve(paymentId)
      } catch (error) {
        logger.error({ error, paymentId }, 'a payment could not be checked')
      }
    })
  }
  return ids.length === atMost
}
