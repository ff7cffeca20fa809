import { randomBytes } from 'node:crypto'
import type { Quote } from '@turnpike/admission'
import { jobIdOf } from '@turnpike/contracts'
import { inSpan } from '@turnpike/telemetry/tracing'
import { passAll } from '../safety/safety-check.ts'
import { type Answer, problem } from './answer.ts'
import { challenge } from './challenge.ts'
import { checkPayment, type Verified, verify } from './check-payment.ts'
import { claimExposure, leaseMsOf, releaseExposure, unexposedAnswer } from './claim-exposure.ts'
import { answerOf } from './collect.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import { type AuthorizationRecord, quoteOf, type SignedRequest } from './effective-request.ts'
import type { RequestContent } from './held-content.ts'
import { provePayer } from './prove-payer.ts'
import { publishJob } from './publish-job.ts'
import { discardAudio, stageAudio } from './stage-audio.ts'
import type { Standing } from './standing.ts'
import { takenMeanwhile } from './taken-meanwhile.ts'
import { waitInSpan } from './wait-for-key.ts'

/** Long enough to verify, claim and publish; short enough that a copy does not wait long for a gateway that died in between. */
const CLAIM_LEASE_MS = 20_000

type OpenStanding = Extract<Standing, { kind: 'open' }>

/** Verify, claim, publish, wait. Whatever goes wrong before the job is published gives every claim back: nothing was executed. */
export async function admit(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  standing: OpenStanding,
  authorization: AuthorizationRecord,
): Promise<Answer | 'look_again'> {
  const startedMs = performance.now()
  // Its job was on its way before, and now the key is open all the same: whoever brings the content once more may run it.
  if (request.content.get() === undefined) return problem('idempotency_in_progress')
  const quote = quoteOf(deps, request, standing.quote)
  const refused = checkPayment(deps, request, quote.amountAtomic, authorization.owner)
  if (refused !== undefined) return refused

  const { from: payer, nonce } = request.payment.authorization
  const jobId = jobIdOf({ keyHash: request.keyHash, payer, nonce, attempt: standing.attempt })
  const proof = await inSpan('prove payer', {}, () => provePayer(deps, request.payment))
  if (proof.kind === 'invalid') return challenge(deps, request, quote.amountAtomic, 'payment_signature_invalid')
  // A payer that proved itself claims first and spares the facilitator its duplicates; a contract must be verified before it may hold a key.
  const verified =
    proof.kind === 'contract' ? await verify(deps, exchange, request, quote.amountAtomic, authorization.owner) : undefined
  if (verified?.kind === 'refused') return refusal(deps, request, verified.answer)

  const token = randomBytes(9).toString('base64url')
  const claim = {
    fingerprint: request.fingerprint,
    quote,
    jobId,
    payer,
    attempt: standing.attempt,
    leaseMs: CLAIM_LEASE_MS,
    token,
  }
  const claimed = await inSpan('claim key', {}, () => deps.keys.claim(request.keyHash, claim))
  if (claimed.status === 'reused') return problem('idempotency_key_reused')
  if (claimed.status === 'held') return 'look_again'

  const leave = deps.gate.enter()
  try {
    const stopped = await prepare(deps, exchange, request, {
      quote,
      jobId,
      attempt: standing.attempt,
      verified,
      token,
      authorization,
    })
    if (stopped !== undefined) return stopped
    deps.metrics.admission.observe({}, (performance.now() - startedMs) / 1000)
    deps.metrics.funnel.count({ step: 'admitted' })
    const untilMs = deps.now() + request.deadlineMs + deps.waitBeyondDeadlineMs
    const end = await waitInSpan(deps, exchange, request, { jobId, untilMs })
    return await answerOf(deps, exchange, request, end, { replayed: false })
  } finally {
    leave()
  }
}

type Admission = {
  quote: Quote
  jobId: string
  attempt: number
  token: string
  /** Set when the facilitator was asked before the key was claimed. */
  verified: Verified | undefined
  authorization: AuthorizationRecord
}

/** Everything between the claim of the key and the wait; what it returns is why the request stops here, with its claims given back. */
async function prepare(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  admission: Admission,
): Promise<Answer | 'look_again' | undefined> {
  const { jobId, token } = admission
  const stopped = await verifyAndClaim(deps, exchange, request, admission).catch((error: unknown) => {
    exchange.log.warn({ error, jobId }, 'admission failed')
    return problem('dependency_unavailable')
  })
  if (stopped !== undefined) {
    await giveBack(deps, request, admission)
    return refusal(deps, request, stopped)
  }
  const keepClaim = () => deps.keys.extend(request.keyHash, token, CLAIM_LEASE_MS)
  const published = await stageAndPublish(deps, exchange, request, { ...admission, keepClaim }).catch((error: unknown) => {
    exchange.log.warn({ error, jobId }, 'the job could not be stored')
    return 'not_published' as const
  })
  if (published === 'claim_lost') return 'look_again'
  if (published === 'not_published') {
    await giveBack(deps, request, admission)
    return problem('dependency_unavailable')
  }
  request.content.letGo()
  // From here on the job may run, whatever fails: longer leases are a courtesy to the copies that join.
  const leaseMs = leaseMsOf(request)
  await Promise.allSettled([
    deps.keys.extend(request.keyHash, token, leaseMs),
    deps.payers.extend(request.payment.authorization.from, jobId, leaseMs),
    deps.total.extend(jobId, leaseMs),
  ])
  return undefined
}

/** What was staged for a job that nobody will get is deleted again. */
async function stageAndPublish(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  admission: Admission & { keepClaim: () => Promise<boolean> },
): Promise<'published' | 'not_published' | 'claim_lost'> {
  const content = contentOf(request)
  const staged = () => stageAudio(deps, { ...content, deadlineMs: request.deadlineMs }, admission)
  const audio = content.audio && (await inSpan('stage audio', {}, staged))
  let isPublished = false
  try {
    // The fence: whoever took so long that its claim lapsed must not publish behind the back of the next one.
    if (!(await admission.keepClaim())) return 'claim_lost'
    const published = await publishJob(deps, exchange, request, { ...admission, canonicalBody: content.canonicalBody, audio })
    isPublished = published === 'published'
    return published
  } finally {
    if (!isPublished) await discardAudio(deps, exchange, audio)
  }
}

/** Asked where nothing was published yet. Nobody keeps it across the wait: what is let go must be free. */
function contentOf({ content }: SignedRequest): RequestContent {
  const held = content.get()
  if (held === undefined) throw new TypeError('the content was let go before its job was published')
  return held
}

/** A 402 is given only for a key that nobody has settled, or may be settling, by now. */
async function refusal(deps: PaidDeps, request: SignedRequest, answer: Answer): Promise<Answer | 'look_again'> {
  return answer.kind === 'challenge' && (await takenMeanwhile(deps, request.keyHash)) ? 'look_again' : answer
}

async function verifyAndClaim(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  admission: Admission,
): Promise<Answer | undefined> {
  const { jobId, authorization } = admission
  const { amountAtomic } = admission.quote
  const unsafe = await screen(deps, request)
  if (unsafe !== undefined) return unsafe
  const verified = admission.verified ?? (await verify(deps, exchange, request, amountAtomic, authorization.owner))
  if (verified.kind === 'refused') return verified.answer
  const claim = {
    jobId,
    amountAtomic,
    leaseMs: CLAIM_LEASE_MS,
    payerHasHistory: authorization.payerHasHistory,
    paidAlready: verified.kind === 'paid_already',
    isOwed: false,
  }
  const unexposed = await inSpan('claim exposure', {}, () => claimExposure(deps, request, claim))
  return unexposed === undefined ? undefined : unexposedAnswer(deps, request, amountAtomic, unexposed)
}

/** The operator's own checks: off by default, and closed when they are configured and away. */
async function screen(deps: PaidDeps, request: SignedRequest): Promise<Answer | undefined> {
  const { endpoint, model } = request
  const { canonicalBody } = contentOf(request)
  const verdict = await passAll(deps.safety, { payer: request.payment.authorization.from, endpoint, model, canonicalBody })
  if (verdict === 'allowed') return undefined
  return verdict === 'refused' ? problem('refused_by_policy') : problem('safety_unavailable')
}

/** Only who still holds the claim gives anything back: exposure is counted per job, and a copy of this one may hold it by now. */
async function giveBack(deps: PaidDeps, request: SignedRequest, { jobId, token }: Admission): Promise<void> {
  // With Redis away the leases end by themselves.
  const isOurs = await deps.keys.giveBack(request.keyHash, token).catch(() => false)
  if (!isOurs) return
  await releaseExposure(deps, request.payment.authorization.from, jobId)
  await Promise.allSettled([deps.announcer.announce(request.keyHash)])
}
