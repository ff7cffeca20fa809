import { type ErrorCode, errorRow, type Problem, type Release } from '@turnpike/contracts'

/** What a paid endpoint answers, before it becomes headers and bytes. */
export type Answer =
  | { kind: 'problem'; problem: Problem }
  /** 402. `reason` is `payment_required` or `inspection`, or why the payment that came along was not taken. */
  | { kind: 'challenge'; challenge: Challenge; reason: ErrorCode; message?: string }
  | { kind: 'release'; release: Release; body: Buffer; replayed: boolean }
  /** The client has gone; nobody reads an answer. */
  | { kind: 'gone' }

export type Challenge =
  | { type: 'fixed'; amountAtomic: bigint; maxTimeoutSeconds: number; expiresAt: number }
  | { type: 'inspection'; amountAtomic: bigint; maxTimeoutSeconds: number }

export function problem(code: ErrorCode, details: Omit<Problem, 'code'> = {}): Answer {
  return { kind: 'problem', problem: { code, ...details } }
}

const SEND_IT_AGAIN = 'Send the same request again under the same key: it is never charged twice.'

/** A "not now" to a request whose payment may be at work all the same: it must not say that nothing was charged. */
export function withChargeUnknown(answer: Answer): Answer {
  if (answer.kind !== 'problem' || !NOT_NOW.includes(errorRow(answer.problem.code).status)) return answer
  return {
    kind: 'problem',
    problem: { ...answer.problem, charged: 'unknown', message: `It could not be served now. ${SEND_IT_AGAIN}` },
  }
}

const NOT_NOW: readonly number[] = [429, 503]
