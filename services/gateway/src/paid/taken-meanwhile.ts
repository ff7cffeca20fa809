import type { LedgerClient } from '../ledger/ledger-client.ts'

/**
 * Whether the ledger knows the key as taken by now. Asked before a payment is refused: after Redis lost a claim, or a lease ran out,
 * another copy of the request may have settled since the first look, and what then looks like a used nonce or a missing balance is
 * that very settlement (I5). Throws when the ledger cannot be asked: then nobody is told to sign anew.
 */
export async function takenMeanwhile(deps: { ledger: Pick<LedgerClient, 'lookup'> }, keyHash: string): Promise<boolean> {
  const { state } = await deps.ledger.lookup({ keyHash })
  return state !== 'unknown' && state !== 'free'
}
