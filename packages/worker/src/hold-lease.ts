import type { ExecutionClaims } from '@turnpike/admission'
import type { Logger } from '@turnpike/service'

/** Renews an execution claim at a third of its lease, until stopped. Losing it ends nothing: what was sent cannot be called back. */
export function holdLease(
  deps: { claims: ExecutionClaims; logger: Logger; leaseMs: number },
  jobId: string,
  owner: string,
): { release(): void } {
  const { claims, logger, leaseMs } = deps
  let lost = false
  const timer = setInterval(() => {
    claims.renew(jobId, owner, leaseMs).then(
      (held) => {
        if (!held && !lost) logger.warn({ jobId }, 'the execution claim was lost, the job may run twice')
        lost = !held
      },
      (error: unknown) => logger.warn({ jobId, error }, 'the execution claim could not be renewed'),
    )
  }, leaseMs / 3)
  return { release: () => clearInterval(timer) }
}
