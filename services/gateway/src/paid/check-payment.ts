import {
  checkAuthorization,
  findSettlement,
  type PaymentRequirements,
  paymentRequirements,
  readBlockNumber,
  requirementsMismatch,
} from '@turnpike/payments'
import { type Answer, problem } from './answer.ts'
import { challenge } from './challenge.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import type { AuthorizationRecord, SignedRequest } from './effective-request.ts'
import { AUTHORIZATION_REFUSALS, codeOfRejection } from './refusals.ts'

/** What settlement may take after the provider's deadline: an authorization must outlast both. */
export const SETTLEMENT_RESERVE_MS = 30_000
export const MAX_AUTHORIZATION_MS = 3_600_000

/** What can be refused without a network call: another price, recipient or time than asked for, or somebody else's authorization. */
export function checkPayment(
  deps: PaidDeps,
  request: SignedRequest,
  amountAtomic: bigint,
  owner: AuthorizationRecord['owner'],
): Answer | undefined {
  const requirements = requirementsFor(deps, request, amountAtomic)
  const mismatch = requirementsMismatch(request.payment.accepted, requirements)
  if (mismatch !== undefined) {
    const code = mismatch === 'payment_challenge_kind_mismatch' ? 'inspection_payment_refused' : 'payment_mismatch'
    return challenge(deps, request, amountAtomic, code)
  }
  const authorization = checkAuthorization({
    authorization: request.payment.authorization,
    requirements,
    nowMs: deps.now(),
    mustCoverMs: request.deadlineMs + SETTLEMENT_RESERVE_MS,
    maxAheadMs: MAX_AUTHORIZATION_MS,
  })
  if (authorization.kind === 'refused')
    return challenge(deps, request, amountAtomic, AUTHORIZATION_REFUSALS[authorization.reason])
  if (owner !== undefined && (owner.keyHash !== request.keyHash || owner.fingerprint !== request.fingerprint)) {
    return challenge(deps, request, amountAtomic, 'payment_already_used')
  }
  return undefined
}

export function requirementsFor(
  deps: Pick<PaidDeps, 'payTo'>,
  request: SignedRequest,
  amountAtomic: bigint,
): PaymentRequirements {
  return paymentRequirements({ amountAtomic, payTo: deps.payTo, maxTimeoutSeconds: request.maxTimeoutSeconds })
}

export type Verified = { kind: 'valid' } | { kind: 'paid_already' } | { kind: 'refused'; answer: Answer }

/**
 * The facilitator's word. A used nonce is not always a no: after a definite failure somebody may have submitted the very transfer, and
 * then the seller was paid for this request, which is owed its result (I1). Only for an authorization that the ledger has bound to
 * this request before: a settled signature is public, so whoever presents one for the first time has proved nothing.
 */
export async function verify(
  deps: PaidDeps,
  { requestId }: Pick<Exchange, 'requestId'>,
  request: SignedRequest,
  amountAtomic: bigint,
  owner: AuthorizationRecord['owner'],
): Promise<Verified> {
  const requirements = requirementsFor(deps, request, amountAtomic)
  const askedAt = performance.now()
  const verified = await deps.facilitator.verify({ payload: request.payment.payload, requirements, requestId })
  deps.metrics.verification.observe({ result: verified.kind }, (performance.now() - askedAt) / 1000)
  if (verified.kind === 'valid') {
    deps.metrics.funnel.count({ step: 'verified' })
    return { kind: 'valid' }
  }
  if (verified.kind === 'rejected' && verified.blame === 'payer') {
    const code = codeOfRejection(verified.reason)
    if (code === 'payment_already_used' && owner !== undefined && (await wasPaid(deps, request, amountAtomic))) {
      return { kind: 'paid_already' }
    }
    return { kind: 'refused', answer: challenge(deps, request, amountAtomic, code) }
  }
  deps.logger.warn(
    { requestId, reason: verified.kind === 'rejected' ? verified.reason : verified.why },
    'verification is not to be had',
  )
  return { kind: 'refused', answer: problem('dependency_unavailable') }
}

/** Throws when the chain cannot be asked. */
async function wasPaid(deps: PaidDeps, request: SignedRequest, amountAtomic: bigint): Promise<boolean> {
  const { from: payer, to: payTo, nonce } = request.payment.authorization
  const fromBlock = await readBlockNumber(deps.rpc)
  const found = await findSettlement(deps.rpc, { payer, payTo, nonce, amountAtomic, fromBlock, confirmations: 1 })
  if (found.kind === 'unavailable') throw new Error('the chain could not be asked about a used nonce')
  return found.kind === 'settled'
}
