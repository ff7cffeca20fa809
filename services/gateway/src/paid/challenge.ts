import { BINDING_TTL_MS } from '@turnpike/admission'
import type { Answer, Challenge } from './answer.ts'
import type { PaidDeps } from './deps.ts'
import type { EffectiveRequest } from './effective-request.ts'

/** 402 with the exact price, and why: because nothing was paid yet, or because the payment that came along was not taken. */
export function challenge(
  deps: Pick<PaidDeps, 'now'>,
  request: EffectiveRequest,
  amountAtomic: bigint,
  reason: Extract<Answer, { kind: 'challenge' }>['reason'] = 'payment_required',
): Answer {
  const fixed: Challenge = {
    type: 'fixed',
    amountAtomic,
    maxTimeoutSeconds: request.maxTimeoutSeconds,
    expiresAt: deps.now() + BINDING_TTL_MS,
  }
  return { kind: 'challenge', challenge: fixed, reason }
}
