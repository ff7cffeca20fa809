import { type ErrorCode, errorRow } from '@turnpike/contracts'
import { type Answer, problem } from './answer.ts'
import { challenge } from './challenge.ts'
import type { PaidDeps } from './deps.ts'
import type { SignedRequest } from './effective-request.ts'

const MAX_BALANCE_READS = 5
const UNBOUNDED = 2n ** 256n
/** Beyond the provider's deadline: the ledger's grace and the settlement. */
const LEASE_BEYOND_DEADLINE_MS = 60_000

export type Exposure = {
  jobId: string
  amountAtomic: bigint
  leaseMs: number
  payerHasHistory: boolean
  /** The transfer is on the chain: there is nothing left to lose, so no balance stands in the way. */
  paidAlready: boolean
  /** The work is done and not paid: what the payer owes for it stays with it, whatever is refused here. */
  isOwed: boolean
}

type ClaimDeps = Pick<PaidDeps, 'payers' | 'total' | 'newPayerExposureCeilingAtomic' | 'totalExposureCeilingAtomic' | 'now'> & {
  balances: Pick<PaidDeps['balances'], 'read'>
}
type Claimant = Pick<SignedRequest, 'keyHash' | 'fingerprint'> & {
  payment: { authorization: Pick<SignedRequest['payment']['authorization'], 'from' | 'nonce' | 'validBefore'> }
}

/**
 * Claims the authorization for this request, and the job's exposure: within the payer's balance (I6), within the ceiling of payers
 * without a history, and within the ceiling of all together. Undefined when claimed, else why not; then nothing new is held. Throws when
 * Redis or the chain cannot be asked.
 */
export async function claimExposure(deps: ClaimDeps, request: Claimant, exposure: Exposure): Promise<ErrorCode | undefined> {
  const refused = await claimPayer(deps, request, exposure)
  if (refused !== undefined) return refused
  if (exposure.paidAlready) return undefined
  const { jobId, amountAtomic, leaseMs } = exposure
  const total = await deps.total.claim({ jobId, amountAtomic, leaseMs, ceilingAtomic: deps.totalExposureCeilingAtomic })
  if (total === 'claimed') return undefined
  if (!exposure.isOwed) await deps.payers.release({ payer: request.payment.authorization.from, jobId, settled: false })
  return 'exposure_limit'
}

async function claimPayer(deps: ClaimDeps, request: Claimant, exposure: Exposure): Promise<ErrorCode | undefined> {
  const { from: payer, nonce, validBefore } = request.payment.authorization
  const { jobId, leaseMs, payerHasHistory, paidAlready } = exposure
  const amountAtomic = paidAlready ? 0n : exposure.amountAtomic
  for (let read = 0; read < MAX_BALANCE_READS; read++) {
    const balance = paidAlready
      ? { atomic: UNBOUNDED, version: await deps.payers.version(payer) }
      : await deps.balances.read(payer, { fresh: read > 0 })
    const { status } = await deps.payers.claim({
      payer,
      nonce,
      jobId,
      belongsTo: belongsTo(request),
      amountAtomic,
      leaseMs,
      authorizationMs: Number(validBefore) * 1000 - deps.now(),
      balance,
      ...(payerHasHistory ? {} : { ceilingAtomic: deps.newPayerExposureCeilingAtomic }),
    })
    switch (status) {
      case 'claimed':
        return undefined
      case 'already_used':
        return 'payment_already_used'
      case 'exposure_limit':
        return 'exposure_limit'
      case 'insufficient_funds':
        // A remembered balance may be older than a deposit: only a fresh one is a reason to refuse.
        if (read > 0) return 'insufficient_funds'
        break
      case 'stale_balance':
        break
    }
  }
  // Its settlements follow each other so fast that no balance stayed true long enough: ours to mend, not the payer's.
  return 'overloaded'
}

/** What a refused claim is to the client. */
export function unexposedAnswer(deps: PaidDeps, request: SignedRequest, amountAtomic: bigint, refusal: ErrorCode): Answer {
  return errorRow(refusal).status === 402 ? challenge(deps, request, amountAtomic, refusal) : problem(refusal)
}

/** Gives a job's exposure back, as far as Redis can be reached; else its lease ends by itself. */
export async function releaseExposure(deps: PaidDeps, payer: string, jobId: string): Promise<void> {
  await Promise.allSettled([deps.payers.release({ payer, jobId, settled: false }), deps.total.release(jobId)])
}

/** How long a published job may keep its claims without the ledger's word. */
export function leaseMsOf(request: { deadlineMs: number }): number {
  return request.deadlineMs + LEASE_BEYOND_DEADLINE_MS
}

/** The key and effective request that an authorization belongs to. */
export function belongsTo(request: { keyHash: string; fingerprint: string }): string {
  return `${request.keyHash}:${request.fingerprint}`
}
