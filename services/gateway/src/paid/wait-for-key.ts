import type { JobFailure } from '@turnpike/contracts'
import { inSpan } from '@turnpike/telemetry/tracing'
import type { Exchange, PaidDeps } from './deps.ts'
import type { SignedRequest } from './effective-request.ts'
import { standingOf } from './standing.ts'

/** How a wait for a job ended. */
export type WaitEnd =
  | { kind: 'settled'; jobId: string; payer: string }
  | { kind: 'failed'; failure: JobFailure | undefined }
  | { kind: 'ambiguous' }
  | { kind: 'awaiting_payment'; amountAtomic: bigint }
  | { kind: 'reused' }
  | { kind: 'already_used' }
  /** Nobody has the key any more, and the job never got anywhere: look again. */
  | { kind: 'vacant' }
  | { kind: 'settlement_pending' }
  | { kind: 'in_progress' }
  | { kind: 'gone' }

const FIRST_POLL_MS = 300
const MAX_POLL_MS = 2_000
const FACT_POLL_MS = 250

export function waitInSpan(...given: Parameters<typeof waitForKey>): Promise<WaitEnd> {
  const [, , , { jobId }] = given
  return inSpan('wait for commit', { attributes: { 'turnpike.job_id': jobId } }, async (span) => {
    const end = await waitForKey(...given)
    span.set({ 'turnpike.outcome': end.kind })
    return end
  })
}

/**
 * Waits until the ledger has decided on the key, until `untilMs`, or until the client goes. The announcement of the ledger wakes
 * it; because announcements can be lost it also asks on its own, ever less often.
 */
async function waitForKey(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  wait: { jobId: string; untilMs: number },
): Promise<WaitEnd> {
  let pollMs = FIRST_POLL_MS
  let unknownSince: number | undefined
  let mayHaveSettled = false
  const done = new AbortController()
  const signal = AbortSignal.any([exchange.signal, done.signal])
  try {
    let woken = deps.releases.next(request.keyHash, pollMs, signal)
    while (true) {
      await woken
      if (exchange.signal.aborted) return { kind: 'gone' }
      woken = deps.releases.next(request.keyHash, pollMs, signal)
      pollMs = Math.min(pollMs * 2, MAX_POLL_MS)

      // The job goes on whether or not the ledger can be asked: a look that fails is a look to repeat.
      const look = await lookAtJob(deps, request, wait.jobId).catch((error: unknown): Look => {
        exchange.log.warn({ error, jobId: wait.jobId }, 'look at the key failed')
        return { kind: 'undecided', settling: false, settlementUnknown: false }
      })
      if (look.kind !== 'undecided') return look
      const now = deps.now()
      if (look.settlementUnknown) {
        unknownSince ??= now
        if (now - unknownSince >= deps.waitForUnknownSettlementMs) return { kind: 'settlement_pending' }
      }
      mayHaveSettled ||= look.settling
      if (now >= wait.untilMs) return mayHaveSettled ? { kind: 'settlement_pending' } : { kind: 'in_progress' }
    }
  } finally {
    done.abort()
  }
}

type Look = WaitEnd | { kind: 'undecided'; settling: boolean; settlementUnknown: boolean }

async function lookAtJob(deps: PaidDeps, request: SignedRequest, jobId: string): Promise<Look> {
  const { from: payer, nonce } = request.payment.authorization
  const [record, known] = await Promise.all([
    deps.keys.read(request.keyHash),
    deps.ledger.lookup({ keyHash: request.keyHash, jobId, authorization: { payer, nonce } }),
  ])
  const standing = standingOf(request.fingerprint, record, known)
  // Its job is known, so nobody needs to publish it again.
  if (known.job !== undefined && known.job.state !== 'superseded') request.content.letGo()
  switch (standing.kind) {
    case 'settled':
      return { kind: 'settled', jobId: standing.jobId, payer: standing.payer }
    case 'awaiting_payment':
      return { kind: 'awaiting_payment', amountAtomic: standing.amountAtomic }
    case 'ambiguous':
      return { kind: 'ambiguous' }
    case 'reused':
    case 'expired':
      return { kind: 'reused' }
    case 'settling':
    case 'settlement_unknown':
      return { kind: 'undecided', settling: true, settlementUnknown: standing.kind === 'settlement_unknown' }
    case 'in_flight':
    case 'open':
      break
  }
  if (known.job?.state === 'failed' || known.job?.state === 'refused') return { kind: 'failed', failure: known.job.failure }
  if (
    known.job?.state === 'superseded' &&
    known.authorizationOwner !== undefined &&
    known.authorizationOwner.keyHash !== request.keyHash
  ) {
    return { kind: 'already_used' }
  }
  if (standing.kind === 'open' && (known.job === undefined || known.job.state === 'superseded')) return { kind: 'vacant' }
  return { kind: 'undecided', settling: false, settlementUnknown: false }
}

/** Waits a moment for a settlement under way to be decided, for a caller who has proved nothing. False when it was not. */
export async function settlementMoves(deps: PaidDeps, exchange: Exchange, keyHash: string): Promise<boolean> {
  const untilMs = deps.now() + deps.waitForUnknownSettlementMs
  while (deps.now() < untilMs && !exchange.signal.aborted) {
    await deps.releases.next(keyHash, FACT_POLL_MS, exchange.signal)
    const { state } = await deps.ledger.lookup({ keyHash })
    if (state !== 'settling' && state !== 'settlement_unknown') return true
  }
  return false
}
