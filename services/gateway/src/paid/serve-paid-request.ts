import { inSpan } from '@turnpike/telemetry/tracing'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import type { ArrivedBody } from '../http/read-body.ts'
import { admit } from './admit.ts'
import { type Answer, problem, withChargeUnknown } from './answer.ts'
import { challenge } from './challenge.ts'
import { collect } from './collect.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import {
  type AuthorizationRecord,
  type EffectiveRequest,
  type IncomingRequest,
  judgeRequest,
  quoteOf,
  type SignedRequest,
} from './effective-request.ts'
import { type HeldContent, holdContent } from './held-content.ts'
import { settleStored } from './settle-stored.ts'
import { type Standing, standingOf } from './standing.ts'
import { settlementMoves } from './wait-for-key.ts'

// A key may change hands while a request looks at it: another copy wins the claim, or gives it back. Each look starts over.
const MAX_LOOKS = 20

type ArrivedRequest = Omit<IncomingRequest, 'body'> & { body: Pick<ArrivedBody, 'take' | 'giveBack'>; client: string }

/** The paid lifecycle, from the bytes of a request to its answer. */
export async function servePaidRequest<Request extends { model: string }>(
  deps: PaidDeps,
  exchange: Exchange,
  endpoint: PaidEndpointDefinition<Request>,
  incoming: ArrivedRequest,
): Promise<Answer> {
  const read = await readRequest(deps, endpoint, incoming)
  if (!read.ok) return read.answer
  const { request, content } = read
  if (request.payment === undefined) content.letGo()
  else deps.metrics.funnel.count({ step: 'signed' })
  for (let look = 0; look < MAX_LOOKS; look++) {
    const answer =
      request.payment === undefined
        ? await answerUnsigned(deps, exchange, request)
        : await answerSigned(deps, exchange, { ...request, payment: request.payment, content })
    if (answer !== 'look_again') return answer
  }
  return problem('idempotency_in_progress')
}

type ReadRequest = { ok: true; request: EffectiveRequest; content: HeldContent } | { ok: false; answer: Answer }

/** A function of its own, so that nothing but `content` keeps the body and what was made of it while the request waits. */
async function readRequest<Request extends { model: string }>(
  deps: PaidDeps,
  endpoint: PaidEndpointDefinition<Request>,
  { body, client, ...incoming }: ArrivedRequest,
): Promise<ReadRequest> {
  const keepContent = incoming.paymentSignature !== undefined
  const bytes = body.take()
  // A body that is read in another thread is handed over: nothing of it is left here, its length included.
  const { length } = bytes
  const reading = deps.bodyReader.read(
    endpoint as PaidEndpointDefinition,
    { contentType: incoming.contentType, bytes },
    { keepContent, client },
  )
  const effective = reading instanceof Promise ? await reading : reading
  const read = judgeRequest(deps, endpoint, { ...incoming, body: { length } }, () => effective)
  if (!read.ok) return read
  const { canonicalBody, audio, ...request } = read.request
  return { ok: true, request, content: holdContent({ canonicalBody, audio }, body.giveBack) }
}

/** No payment: bind the quote and answer with its challenge, unless the key says otherwise. */
async function answerUnsigned(deps: PaidDeps, exchange: Exchange, request: EffectiveRequest): Promise<Answer | 'look_again'> {
  const closed = closedAnswer(deps, request)
  // One trip each, side by side. The binding is harmless where the ledger says otherwise: it has the last word on every look.
  const [record, known] = await Promise.all([
    closed === undefined
      ? deps.keys.bind(request.keyHash, request.fingerprint, quoteOf(deps, request))
      : deps.keys.read(request.keyHash),
    deps.ledger.lookup({ keyHash: request.keyHash }),
  ])
  const standing = standingOf(request.fingerprint, record, known)
  switch (standing.kind) {
    case 'reused':
      await deps.keys.unbind(request.keyHash, request.fingerprint)
      return problem('idempotency_key_reused')
    case 'expired':
      return problem('idempotency_result_expired')
    case 'ambiguous':
      return problem('provider_outcome_unknown')
    case 'settling':
    case 'settlement_unknown':
      // I5: a 402 never follows a settlement that may have happened.
      return (await settlementMoves(deps, exchange, request.keyHash)) ? 'look_again' : problem('settlement_pending')
    case 'in_flight':
    case 'settled':
      // An official client signs to join or to collect; that signature proves the payer and is never settled.
      return challenge(deps, request, standing.amountAtomic)
    case 'awaiting_payment':
      return challenge(deps, request, standing.amountAtomic, 'settlement_failed')
    case 'open':
      if (closed !== undefined) return closed
      deps.metrics.challenged()
      return challenge(deps, request, quoteOf(deps, request, standing.quote).amountAtomic)
  }
}

/** With a payment: join, replay, release a stored result, or admit. */
async function answerSigned(deps: PaidDeps, exchange: Exchange, request: SignedRequest): Promise<Answer | 'look_again'> {
  const { standing, authorization } = await inSpan('look up key', {}, () => lookUp(deps, request))
  switch (standing.kind) {
    case 'reused':
      return problem('idempotency_key_reused')
    case 'expired':
      return problem('idempotency_result_expired')
    case 'ambiguous':
      return problem('provider_outcome_unknown')
    case 'in_flight':
    case 'settling':
    case 'settlement_unknown':
    case 'settled':
      return collect(deps, exchange, request, standing)
    case 'awaiting_payment':
      return settleStored(deps, exchange, request, standing, authorization)
    case 'open': {
      if (standing.onlyFor !== undefined && standing.onlyFor !== request.payment.authorization.from) {
        return problem('idempotency_key_reused')
      }
      const answer = closedAnswer(deps, request) ?? (await admit(deps, exchange, request, standing, authorization))
      // A claim that lapsed may have left a job behind that nobody has recorded yet.
      return standing.mayRun && answer !== 'look_again' ? withChargeUnknown(answer) : answer
    }
  }
}

async function lookUp(
  deps: PaidDeps,
  request: SignedRequest,
): Promise<{ standing: Standing; authorization: AuthorizationRecord }> {
  const { from: payer, nonce } = request.payment.authorization
  const [record, known] = await Promise.all([
    deps.keys.read(request.keyHash),
    deps.ledger.lookup({ keyHash: request.keyHash, authorization: { payer, nonce } }),
  ])
  return {
    standing: standingOf(request.fingerprint, record, known),
    authorization: { owner: known.authorizationOwner, payerHasHistory: known.payerHasHistory === true },
  }
}

/** Nobody is asked to sign for what cannot be delivered. */
export function closedAnswer(
  deps: Pick<PaidDeps, 'gate' | 'closedModels'>,
  { model }: Pick<EffectiveRequest, 'model'>,
): Answer | undefined {
  const closedBy = deps.gate.closedBy()
  if (closedBy !== undefined) return closedBy === 'capacity' ? problem('overloaded') : problem('dependency_unavailable')
  const closure = deps.closedModels.closure(model)
  return closure === undefined ? undefined : problem(closure.code, { retryAfterS: closure.retryAfterS })
}
