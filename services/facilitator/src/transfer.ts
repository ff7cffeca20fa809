import type { ExpectedTransfer, Hex, Payment } from '@turnpike/payments'
import type { TransactionReceipt } from 'viem'

export type ReceiptLog = TransactionReceipt['logs'][number]

/** One `transferWithAuthorization`, ready to be sent alone or as a member of a batch. */
export interface Transfer extends ExpectedTransfer {
  /** Calldata for the token. */
  data: Hex
  /** Who presents the same transfer again is told the same outcome. */
  key: TransferKey
  /**
   * The payer's contract is asked about this signature. It may burn whatever gas it is given, and in a batch that would be the
   * others', so it travels alone.
   */
  isContractSignature: boolean
}

/** All that was signed, and the signature. */
export type TransferKey = string & { readonly brand: 'transfer' }

/** A signature alone names nothing: a contract wallet may show the same bytes for whatever it approved (Safe does). */
export function transferKey({ authorization, signature }: Pick<Payment, 'authorization' | 'signature'>): TransferKey {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return [from, to, value, validAfter, validBefore, nonce, signature].join(':') as TransferKey
}

export type TransferOutcome =
  /** Mined, with the two logs that belong to this transfer and to no other. */
  | { kind: 'paid'; transaction: Hex; logs: readonly ReceiptLog[] }
  /** It did not happen and will not be tried again. `reason` is the token's revert text where there is one. */
  | { kind: 'failed'; reason: string }
  /** It would cost more gas than is allowed, and was not sent. */
  | { kind: 'too_much_gas' }
  /** Sent, or as good as sent, and not seen mined in the time a caller waits. */
  | { kind: 'pending'; transaction: Hex }
  /** In the hands of an account that has not sent it yet. It may still happen. */
  | { kind: 'undecided'; why: string }
