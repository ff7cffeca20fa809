import { createHash } from 'node:crypto'
import { type JobFailure, type Release, sealedFor } from '@turnpike/contracts'
import { open } from '@turnpike/sealing'
import { unpackContent } from '@turnpike/storage'
import { inSpan } from '@turnpike/telemetry/tracing'
import { type Answer, problem } from './answer.ts'
import { challenge } from './challenge.ts'
import { MAX_AUTHORIZATION_MS } from './check-payment.ts'
import { belongsTo } from './claim-exposure.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import type { SignedRequest } from './effective-request.ts'
import { provesPayer } from './prove-payer.ts'
import type { Standing } from './standing.ts'
import { type WaitEnd, waitInSpan } from './wait-for-key.ts'

type TakenStanding = Extract<Standing, { kind: 'in_flight' | 'settling' | 'settlement_unknown' | 'settled' }>

/** A key that is in flight is joined, one that is settled is replayed: by its payer, with any valid signature, which is never settled. */
export async function collect(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  standing: TakenStanding,
): Promise<Answer | 'look_again'> {
  if (!(await provesPayer(deps, request.payment))) {
    const undecided = standing.kind === 'settling' || standing.kind === 'settlement_unknown'
    return undecided
      ? problem('settlement_pending')
      : challenge(deps, request, standing.amountAtomic, 'payment_signature_invalid')
  }
  if (request.payment.authorization.from !== standing.payer) return problem('idempotency_key_reused')
  await bindToThis(deps, request)
  deps.metrics.funnel.count({ step: standing.kind === 'settled' ? 'replayed' : 'joined' })
  if (standing.kind === 'settled') return release(deps, exchange, standing.jobId, { replayed: true })
  const end = await waitInSpan(deps, exchange, request, {
    jobId: standing.jobId,
    untilMs: deps.now() + request.deadlineMs + deps.waitBeyondDeadlineMs,
  })
  return answerOf(deps, exchange, request, end, { replayed: true })
}

/** Best effort: with Redis away the signature has still proved its payer, and a join or a replay moves no money. */
async function bindToThis(deps: PaidDeps, request: SignedRequest): Promise<void> {
  const { from: payer, nonce, validBefore } = request.payment.authorization
  const authorizationMs = Math.min(Number(validBefore) * 1000 - deps.now(), MAX_AUTHORIZATION_MS)
  if (authorizationMs <= 0) return
  await Promise.allSettled([deps.payers.bind({ payer, nonce, belongsTo: belongsTo(request), authorizationMs })])
}

/** What a wait that ended is to the client. */
export async function answerOf(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  end: WaitEnd,
  { replayed }: { replayed: boolean },
): Promise<Answer | 'look_again'> {
  switch (end.kind) {
    case 'settled':
      return end.payer === request.payment.authorization.from
        ? release(deps, exchange, end.jobId, { replayed })
        : problem('idempotency_key_reused')
    case 'failed':
      return failure(end.failure)
    case 'ambiguous':
      return problem('provider_outcome_unknown')
    case 'awaiting_payment':
      return challenge(deps, request, end.amountAtomic, 'settlement_failed')
    case 'reused':
      return problem('idempotency_key_reused')
    case 'already_used':
      return challenge(deps, request, request.price.amountAtomic, 'payment_already_used')
    case 'vacant':
      return 'look_again'
    case 'settlement_pending':
      return problem('settlement_pending')
    case 'in_progress':
      return problem('idempotency_in_progress')
    case 'gone':
      return { kind: 'gone' }
  }
}

function failure(found: JobFailure | undefined): Answer {
  if (found === undefined) return problem('provider_unavailable')
  return problem(found.code, {
    ...(found.message === undefined ? {} : { message: found.message }),
    ...(found.retryAfterS === undefined ? {} : { retryAfterS: found.retryAfterS }),
  })
}

/** The only way out for a paid response: read from what was committed. */
export function release(deps: PaidDeps, exchange: Exchange, jobId: string, { replayed }: { replayed: boolean }): Promise<Answer> {
  const attributes = { 'turnpike.job_id': jobId, 'turnpike.outcome': replayed ? 'replayed' : 'released' }
  return inSpan('release result', { attributes }, () => readAndRelease(deps, exchange, jobId, replayed))
}

async function readAndRelease(deps: PaidDeps, exchange: Exchange, jobId: string, replayed: boolean): Promise<Answer> {
  const committed = await deps.ledger.release(jobId)
  if (committed === undefined) return problem('idempotency_result_expired')
  const body = await bodyOf(deps, committed)
  if (!replayed) deps.metrics.funnel.count({ step: 'released' })
  exchange.log.info({ jobId, receiptId: committed.receiptId, replayed }, 'released')
  return { kind: 'release', release: committed, body, replayed }
}

/** A committed result that cannot be given back as it was sold: a defect (I4), never a passing fault. */
export class ResultBroken extends Error {
  override name = 'ResultBroken'
}

async function bodyOf(deps: PaidDeps, committed: Release): Promise<Buffer> {
  const body = open(deps.contentKeys, await unpackContent(deps.store, committed.body), sealedFor.result(committed.jobId))
  if (createHash('sha256').update(body).digest('hex') !== committed.sha256)
    throw new ResultBroken('stored result differs from its receipt')
  return body
}
