import type { PayerClaims } from '@turnpike/admission'
import { type ChainRpc, readUsdcBalance } from '@turnpike/payments'
import { type RememberedReads, rememberedReads } from '../chain/remembered-reads.ts'

export type PayerBalance = { atomic: bigint; version: string }
/** Reading throws when the chain or Redis cannot be asked. */
export type PayerBalances = RememberedReads<PayerBalance>

const MAX_AGE_MS = 3_000

/**
 * Balances at most three seconds old, and never older than the payer's last settlement here: `version` grows with each, is read
 * before the balance, and the claim refuses a balance whose version has passed.
 */
export function payerBalances(deps: { rpc: ChainRpc; payers: PayerClaims; now(): number }): PayerBalances {
  return rememberedReads({
    async read(payer) {
      const version = await deps.payers.version(payer)
      return { version, atomic: await readUsdcBalance(deps.rpc, payer) }
    },
    maxAgeMs: () => MAX_AGE_MS,
    maxRemembered: 10_000,
    now: deps.now,
  })
}
