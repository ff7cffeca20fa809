import { bazaarExtension, errorMembers, errorRow, formatUsdc } from '@turnpike/contracts'
import {
  encodePaymentRequiredHeader,
  INSPECTION_EXTRA,
  NETWORK,
  type PaymentRequired,
  paymentRequired,
  paymentRequirements,
  USDC_ADDRESS,
} from '@turnpike/payments'
import type { Answer, Challenge } from '../paid/answer.ts'
import type { Place, SendDeps } from './send-answer.ts'

type ChallengeAnswer = Extract<Answer, { kind: 'challenge' }>
/** The body in pieces, between which stand the values that no two answers share. */
type Prepared = { header: string; body: readonly string[] }

const MAX_REMEMBERED = 2_000
const remembered = new WeakMap<SendDeps, Map<string, Prepared>>()

/**
 * The PAYMENT-REQUIRED header and the JSON body of a 402. Both follow from few values that come again and again, but for the request's
 * id and when its price lapses; encoding them costs more than all the rest of a challenge, so they are remembered.
 */
export function challengeAnswer(deps: SendDeps, place: Place, answer: ChallengeAnswer): { header: string; body: string } {
  const { challenge, message } = answer
  const { header, body } = rememberedOf(deps, place, answer)
  const expiresAt = challenge.type === 'fixed' ? new Date(challenge.expiresAt).toISOString() : undefined
  const { requestId } = place
  if (message !== undefined) return { header, body: JSON.stringify(bodyOf(deps, answer, { message, expiresAt, requestId })) }
  const values = expiresAt === undefined ? [requestId] : [expiresAt, requestId]
  return { header, body: values.reduce((text, value, at) => text + value + body[at + 1], body[0] ?? '') }
}

function rememberedOf(deps: SendDeps, place: Place, answer: ChallengeAnswer): Prepared {
  const known = remembered.get(deps) ?? new Map<string, Prepared>()
  remembered.set(deps, known)
  const { challenge, reason } = answer
  const key = `${place.path} ${challenge.type} ${challenge.amountAtomic} ${challenge.maxTimeoutSeconds} ${reason}`
  const there = known.get(key)
  if (there !== undefined) return there
  const expiresAt = challenge.type === 'fixed' ? SLOT : undefined
  const prepared = {
    header: encodePaymentRequiredHeader(requiredFor(deps, place, challenge, errorRow(reason).message)),
    body: JSON.stringify(bodyOf(deps, answer, { message: undefined, expiresAt, requestId: SLOT })).split(SLOT),
  }
  if (known.size >= MAX_REMEMBERED) known.clear()
  known.set(key, prepared)
  return prepared
}

// No text of ours holds it, and JSON writes it as it is.
const SLOT = '<slot of a challenge>'

type Values = { message: string | undefined; expiresAt: string | undefined; requestId: string }

function bodyOf(deps: SendDeps, { challenge, reason }: ChallengeAnswer, { message: detail, expiresAt, requestId }: Values) {
  const { message } = errorRow(reason)
  return {
    error: 'Payment Required',
    message: detail === undefined ? message : `${detail} ${message}`,
    price: { amount: formatUsdc(challenge.amountAtomic), currency: 'USDC', type: challenge.type },
    paymentInfo: { x402Version: 2, scheme: 'exact', network: NETWORK, asset: USDC_ADDRESS },
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...errorMembers({ code: reason }, docsUrl(deps)),
    request_id: requestId,
  }
}

function requiredFor(deps: SendDeps, place: Place, challenge: Challenge, error: string): PaymentRequired {
  return paymentRequired({
    requirements: paymentRequirements({
      amountAtomic: challenge.amountAtomic,
      payTo: deps.payTo,
      maxTimeoutSeconds: challenge.maxTimeoutSeconds,
      ...(challenge.type === 'inspection' ? { extra: { ...INSPECTION_EXTRA } } : {}),
    }),
    resource: {
      url: `${deps.publicBaseUrl}${place.path}`,
      description: place.endpoint?.description ?? '',
      mimeType: 'application/json',
      serviceName: 'Turnpike',
    },
    error,
    ...(place.endpoint === undefined ? {} : { extensions: bazaarExtension(place.endpoint.path, place.endpoint.requestSchema) }),
  })
}

export function docsUrl(deps: Pick<SendDeps, 'publicBaseUrl'>): string {
  return `${deps.publicBaseUrl}/docs`
}
