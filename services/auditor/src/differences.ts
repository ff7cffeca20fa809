type Kind = { invariant: 'I1' | 'I3' | 'I7'; says: string }

/** Every way in which the chain and the ledger can disagree, with the invariant that it breaks. */
export const DIFFERENCES = {
  transfer_unknown: { invariant: 'I1', says: 'our facilitator sent a transfer that the ledger knows nothing of' },
  transfer_without_payment: { invariant: 'I1', says: 'a presented authorization paid, and nothing was delivered for it' },
  payment_undecided: { invariant: 'I1', says: 'the transfer is confirmed, and the ledger has not decided its payment' },
  late_transfer_not_listed: { invariant: 'I1', says: 'a void payment was paid after all and is not listed for refund' },
  late_transfer_not_on_chain: { invariant: 'I1', says: 'a transfer is listed for refund that the chain does not show' },
  settled_without_transfer: { invariant: 'I1', says: 'a settled payment whose transfer the chain does not show' },
  transaction_differs: { invariant: 'I1', says: 'the ledger names another transaction than the chain' },
  party_differs: { invariant: 'I1', says: 'payer, recipient, nonce or job are not the same everywhere' },
  receipt_missing: { invariant: 'I1', says: 'a settled payment without a receipt' },
  receipt_without_payment: { invariant: 'I1', says: 'a receipt without a settled payment' },
  receipt_not_served: { invariant: 'I1', says: 'a receipt that its owner cannot get' },
  receipt_differs: { invariant: 'I1', says: 'a receipt that says something else than chain and ledger' },
  receipt_signature_invalid: { invariant: 'I1', says: 'a receipt that no published key signed as it stands' },
  result_missing: { invariant: 'I1', says: 'a paid result that is gone before its seven days' },
  result_damaged: { invariant: 'I1', says: 'a paid result that cannot be opened any more' },
  result_differs: { invariant: 'I1', says: 'a stored result that is not the one on the receipt' },
  authorization_settled_twice: { invariant: 'I3', says: 'one authorization settled several payments' },
  key_settled_twice: { invariant: 'I3', says: 'one idempotency key settled several payments' },
  amount_differs: { invariant: 'I7', says: 'quoted, transferred, settled and receipted amounts are not the same' },
  job_missing: { invariant: 'I7', says: 'a settled payment without its job, so without the amount that was quoted' },
} as const satisfies Record<string, Kind>

export type DifferenceCode = keyof typeof DIFFERENCES

/** What one can look a difference up by. */
export type Place = {
  transaction?: string
  blockNumber?: bigint
  payer?: string
  nonce?: string
  paymentId?: string
  jobId?: string
  receiptId?: string
}

export type Difference = Place & { code: DifferenceCode; detail: string }
