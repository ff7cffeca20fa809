import type { SettlementFinding, SettleResult } from '@turnpike/payments'

export type PaymentFacts = {
  state: 'settling' | 'unknown'
  /** Seconds since the epoch. */
  validBefore: bigint
  /** How often it was handed to a facilitator, the answer below included. */
  submissions: number
  checks: number
}

export type Decision =
  | { kind: 'commit'; transaction: `0x${string}` }
  /** `onlyFirst`: it rests on the answer to the first submission, and falls if there was another meanwhile. */
  | { kind: 'void'; reason: string; onlyFirst: boolean; watched: boolean }
  | { kind: 'submit' }
  | { kind: 'wait'; reason: string }

// Some 3.5 s. What was sent may still wait for its block; sending it again then costs the facilitator a reverted transaction.
const CHECKS_BEFORE_RESUBMISSION = 3

/**
 * What the chain's word means for an undecided payment. `answer` is the facilitator's, when it was just asked. Only the chain decides,
 * with one exception: a refusal of the only submission, provably before anything was sent, for a reason that is the payer's.
 */
export function decideSettlement(facts: PaymentFacts, finding: SettlementFinding, answer?: SettleResult): Decision {
  switch (finding.kind) {
    case 'settled':
      return { kind: 'commit', transaction: finding.transaction }
    case 'spent_elsewhere': {
      const reason = finding.how === 'cancelled' ? 'authorization_cancelled' : 'authorization_spent_elsewhere'
      return { kind: 'void', reason, onlyFirst: false, watched: false }
    }
    case 'unconfirmed':
      return { kind: 'wait', reason: 'unconfirmed' }
    case 'unavailable':
      return { kind: 'wait', reason: 'chain_unavailable' }
    case 'unused':
      return decideUnused(facts, finding.confirmedBlockTimestamp, answer)
  }
}

function decideUnused(facts: PaymentFacts, confirmedBlockTimestamp: bigint, answer: SettleResult | undefined): Decision {
  if (confirmedBlockTimestamp >= facts.validBefore) {
    return { kind: 'void', reason: 'authorization_expired', onlyFirst: false, watched: false }
  }
  if (answer?.kind === 'refused' && answer.blame === 'payer' && facts.submissions === 1) {
    return { kind: 'void', reason: answer.reason, onlyFirst: true, watched: true }
  }
  if (answer !== undefined) return { kind: 'wait', reason: answer.kind === 'settled' ? 'not_mined' : answer.reason }
  // A payment that is still `settling` was left by a process that died: it may never have been sent.
  if (facts.state === 'settling' || facts.checks >= CHECKS_BEFORE_RESUBMISSION) return { kind: 'submit' }
  return { kind: 'wait', reason: 'not_mined' }
}

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

/** 0.5 s, doubling to 30 s. */
export function checkDelayMs(checks: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(checks, 10))
}
