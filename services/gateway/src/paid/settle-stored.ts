import { type Answer, problem } from './answer.ts'
import { challenge } from './challenge.ts'
import { checkPayment, verify } from './check-payment.ts'
import { claimExposure, leaseMsOf, unexposedAnswer } from './claim-exposure.ts'
import { answerOf } from './collect.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import type { AuthorizationRecord, SignedRequest } from './effective-request.ts'
import { provePayer } from './prove-payer.ts'
import { sealedPayment } from './publish-job.ts'
import type { Standing } from './standing.ts'
import { waitInSpan } from './wait-for-key.ts'

type AwaitingStanding = Extract<Standing, { kind: 'awaiting_payment' }>

/**
 * The work is done and its payment failed for sure: a new signature by the same payer releases the stored result at the stored price.
 * The job's exposure was kept, so what is claimed here takes its place; it stays with the payer whatever becomes of this payment.
 */
export async function settleStored(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  standing: AwaitingStanding,
  authorization: AuthorizationRecord,
): Promise<Answer | 'look_again'> {
  const { from: payer, nonce, validBefore } = request.payment.authorization
  const { jobId, amountAtomic } = standing
  if (payer !== standing.payer) return problem('idempotency_key_reused')
  const prepared = await prepare(deps, exchange, request, standing, authorization)
  // Official clients sign anew on every retry: what looks like a missing balance may be the settlement of another copy of this request.
  if (prepared !== undefined) return (await stillAwaits(deps, request, jobId)) ? prepared : 'look_again'

  const status = await deps.ledger.settleStored({
    keyHash: request.keyHash,
    jobId,
    fingerprint: request.fingerprint,
    payer,
    nonce,
    validBefore: Number(validBefore),
    amountAtomic: amountAtomic.toString(),
    payment: { inline: sealedPayment(deps, request, jobId, amountAtomic) },
  })
  if (status === 'payment_already_used') return challenge(deps, request, amountAtomic, 'payment_already_used')
  if (status === 'conflict') return 'look_again'
  const end = await waitInSpan(deps, exchange, request, { jobId, untilMs: deps.now() + deps.waitBeyondDeadlineMs })
  return answerOf(deps, exchange, request, end, { replayed: false })
}

/** Why the new signature is not taken; undefined when its exposure is claimed. */
async function prepare(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  { jobId, amountAtomic }: AwaitingStanding,
  { owner, payerHasHistory }: AuthorizationRecord,
): Promise<Answer | undefined> {
  const refused = checkPayment(deps, request, amountAtomic, owner)
  if (refused !== undefined) return refused
  const proof = await provePayer(deps, request.payment)
  if (proof.kind === 'invalid') return challenge(deps, request, amountAtomic, 'payment_signature_invalid')
  const verified = await verify(deps, exchange, request, amountAtomic, owner)
  if (verified.kind === 'refused') return verified.answer
  const paidAlready = verified.kind === 'paid_already'
  const refusal = await claimExposure(deps, request, {
    jobId,
    amountAtomic,
    leaseMs: leaseMsOf(request),
    payerHasHistory,
    paidAlready,
    isOwed: true,
  })
  return refusal === undefined ? undefined : unexposedAnswer(deps, request, amountAtomic, refusal)
}

async function stillAwaits(deps: PaidDeps, request: SignedRequest, jobId: string): Promise<boolean> {
  const { state, key } = await deps.ledger.lookup({ keyHash: request.keyHash })
  return state === 'awaiting_payment' && key?.jobId === jobId
}
