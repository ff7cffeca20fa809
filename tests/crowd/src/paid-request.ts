import { randomUUID } from 'node:crypto'
import { post, signChallenge, type TestWallet } from '@turnpike/testing'
import { answers, bodyOf, pathOf, type Work } from './paid-work.ts'

/** One request of one client, from its first unpaid copy to its last replay, with all that its client saw. */
export type PaidRequest = {
  number: number
  work: Work
  marker: string
  key: string
  body: Record<string, unknown>
  wallet: TestWallet
  /** Atomic USDC, as signed. */
  quotedAtomic: bigint | undefined
  /** The nonce of every authorization that was signed for it, lower case. */
  nonces: Set<string>
  /** Signed copies that wait for an answer, by the gateway that has them. */
  waiting: Map<number, number>
  paid: PaidAnswer | undefined
  /** Why its key can never be paid any more. */
  closedBy: string | undefined
  sawPending: boolean
}

export type PaidAnswer = { body: string; receiptId: string; receiptToken: string; paymentResponse: string; replays: number }

export type Answer =
  | { kind: 'paid' }
  | { kind: 'challenged'; code: string; sign(): Promise<string> }
  /** The service asks for the same request again. */
  | { kind: 'again'; code: string }
  /** Not charged, and no repetition will change it. */
  | { kind: 'closed'; code: string }
  | { kind: 'refused'; code: string }
  | { kind: 'no_answer' }

export type RequestDeps = {
  gateways: readonly string[]
  /** Something that no fault excuses. */
  violation(request: PaidRequest, what: string): void
  onAnswer(code: string): void
}

const LONGEST_ANSWER_MS = 70_000

export function newRequest(number: number, wallet: TestWallet, work: Work): PaidRequest {
  const marker = `fault-${number}-${randomUUID()}`
  return {
    ...{ number, work, marker, wallet, key: randomUUID(), body: bodyOf(work, marker) },
    ...{
      quotedAtomic: undefined,
      nonces: new Set(),
      waiting: new Map(),
      paid: undefined,
      closedBy: undefined,
      sawPending: false,
    },
  }
}

/** Sends one copy and says what came of it. Never throws. */
export async function sendCopy(
  deps: RequestDeps,
  request: PaidRequest,
  copy: { gateway: number; payment?: string | undefined; hangUpAfterMs?: number | undefined },
): Promise<Answer> {
  const { gateway, payment } = copy
  const { waiting } = request
  const timeoutMs = Math.min(LONGEST_ANSWER_MS, copy.hangUpAfterMs ?? LONGEST_ANSWER_MS)
  const sent: SentCopy = {
    isSigned: payment !== undefined,
    wasPaid: request.paid !== undefined,
    sawPending: request.sawPending,
  }
  if (payment !== undefined) waiting.set(gateway, (waiting.get(gateway) ?? 0) + 1)
  try {
    const response = await post({
      url: `${deps.gateways[gateway % deps.gateways.length]}${pathOf(request.work)}`,
      body: request.body,
      key: request.key,
      payment,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    return judge(deps, request, sent, response, text)
  } catch (error) {
    deps.onAnswer(error instanceof Error && error.name === 'TimeoutError' ? 'hung up' : 'connection lost')
    return { kind: 'no_answer' }
  } finally {
    if (payment !== undefined) waiting.set(gateway, (waiting.get(gateway) ?? 1) - 1)
  }
}

/** What its client knew when it sent this copy: another copy may bring news meanwhile. */
type SentCopy = { isSigned: boolean; wasPaid: boolean; sawPending: boolean }

function judge(deps: RequestDeps, request: PaidRequest, sent: SentCopy, response: Response, text: string): Answer {
  const { status, headers } = response
  if (status === 200) {
    deps.onAnswer('200')
    notePaid(deps, request, text, headers)
    return { kind: 'paid' }
  }
  const code = codeIn(text)
  deps.onAnswer(`${status} ${code}`)
  const mayRetry = headers.get('x-should-retry') === 'true'
  switch (status) {
    case 402:
      if (sent.isSigned) judgeRefusal(deps, request, sent, code)
      return { kind: 'challenged', code, sign: () => signFor(request, response) }
    case 409:
    case 429:
    case 503:
      if (code === 'settlement_pending') request.sawPending = true
      if (mayRetry) return { kind: 'again', code }
      if (code === 'provider_outcome_unknown') {
        if (request.paid !== undefined) deps.violation(request, 'provider_outcome_unknown for a request that was paid')
        request.closedBy = code
        return { kind: 'closed', code }
      }
      break
    case 400:
      if (code === 'content_blocked') return { kind: 'refused', code }
      break
  }
  deps.violation(request, `unexpected answer ${status} ${code}: ${text.slice(0, 300)}`)
  return { kind: 'again', code }
}

/** I5; and every wallet of this run can pay, so a payment is refused by a facilitator that lies, or because it waited too long. */
function judgeRefusal(deps: RequestDeps, request: PaidRequest, sent: SentCopy, code: string): void {
  if (sent.wasPaid) deps.violation(request, `a signed copy got 402 ${code} after a 200`)
  else if (sent.sawPending) deps.violation(request, `a signed copy got 402 ${code} after settlement_pending`)
  else if (!EXPECTED_REFUSALS.has(code)) deps.violation(request, `a signed copy got 402 ${code}`)
}

const EXPECTED_REFUSALS = new Set(['payment_rejected', 'authorization_expires_too_soon'])

function notePaid(deps: RequestDeps, request: PaidRequest, body: string, headers: Headers): void {
  const answer = {
    body,
    receiptId: headers.get('x-receipt-id') ?? '',
    receiptToken: headers.get('x-receipt-token') ?? '',
    paymentResponse: headers.get('payment-response') ?? '',
  }
  if (request.closedBy !== undefined) deps.violation(request, `200 after ${request.closedBy}`)
  if (!answers(request.work, request.marker, body)) deps.violation(request, 'a 200 with the answer to something else')
  const known = request.paid
  if (known === undefined) {
    request.paid = { ...answer, replays: 0 }
    return
  }
  known.replays++
  for (const part of ['body', 'receiptId', 'receiptToken', 'paymentResponse'] as const) {
    if (known[part] !== answer[part]) deps.violation(request, `a replay with another ${part}`)
  }
}

async function signFor(request: PaidRequest, challenge: Response): Promise<string> {
  const { header, payload, required } = await signChallenge(request.wallet, challenge)
  const amountAtomic = BigInt(required.accepts[0]?.amount ?? -1)
  // One key has one price, whoever is asked and whatever failed before.
  if (request.quotedAtomic !== undefined && request.quotedAtomic !== amountAtomic) {
    throw new Error(`request ${request.number} was quoted ${request.quotedAtomic} and then ${amountAtomic}`)
  }
  request.quotedAtomic = amountAtomic
  const { authorization } = payload.payload as { authorization: { nonce: string } }
  request.nonces.add(authorization.nonce.toLowerCase())
  return header
}

function codeIn(text: string): string {
  try {
    const body = JSON.parse(text) as { code?: string; error?: { code?: string } | string }
    return (typeof body.error === 'object' ? body.error.code : body.code) ?? 'no code'
  } catch {
    return 'not JSON'
  }
}
