import type { PayerClaims, ReleaseAnnouncer, TotalClaims } from '@turnpike/admission'
import type { Logger } from '@turnpike/service'

type Job = { keyHash: string; payer: string; jobId: string }

export type Notify = {
  /** The job's exposure is given back and whoever waits for the key is woken. */
  keyMoved(moved: Job & { settled: boolean }): Promise<void>
  /** The work is done and not paid (yet): its exposure is kept for that long, and whoever waits for the key is woken. */
  stillOwed(owed: Job & { forMs: number }): Promise<void>
}

type Deps = {
  payers: Pick<PayerClaims, 'release' | 'extend'>
  total: Pick<TotalClaims, 'release' | 'extend'>
  announcer: ReleaseAnnouncer
  logger: Logger
}

/**
 * Tells others what Postgres already holds. All of it is best effort: waiters also ask on their own, claims lapse, and nobody's money
 * hangs on it, so a fault here is logged and never undoes or delays what was committed.
 */
export function notifier({ payers, total, announcer, logger }: Deps): Notify {
  const attempt = async (what: string, work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      logger.warn({ error, what }, 'notification failed')
    }
  }
  return {
    async keyMoved({ keyHash, payer, jobId, settled }) {
      // First the exposure, so that a woken client that pays again finds it free.
      await attempt('release', Promise.all([payers.release({ payer, jobId, settled }), total.release(jobId)]))
      await attempt('announce', announcer.announce(keyHash))
    },
    async stillOwed({ keyHash, payer, jobId, forMs }) {
      await attempt('extend', Promise.all([payers.extend(payer, jobId, forMs), total.extend(jobId, forMs)]))
      await attempt('announce', announcer.announce(keyHash))
    },
  }
}
