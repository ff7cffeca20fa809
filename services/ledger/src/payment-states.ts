export const PAYMENT_STATES = ['settling', 'unknown', 'settled', 'void'] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]

/**
 * Every move of a payment and what causes it. The database holds the same table as a trigger; the functions of the second migration
 * are the only writers.
 *
 * `settling` is made by transaction A (a job succeeded) or by settle-stored (a new signature for a stored result).
 */
export const PAYMENT_MOVES: Record<PaymentState, Partial<Record<PaymentState, string>>> = {
  settling: {
    settled: 'the chain shows the transfer of this authorization, whoever sent it',
    void: 'the only submission was refused before it was sent, or the authorization was spent elsewhere, cancelled or ran out unused',
    unknown: 'no answer, or one that proves nothing: the chain is asked again later',
  },
  unknown: {
    settled: 'the chain shows the transfer of this authorization, whoever sent it',
    void: 'a confirmed block shows that it was spent elsewhere, cancelled, or is unused past its validBefore',
  },
  // Terminal. A transfer that lands after a payment was void is noted on it for refund; it does not come back to life.
  settled: {},
  void: {},
}
