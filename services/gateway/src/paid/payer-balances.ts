import type { PayerClaims } from '@turnpike/admission'
import { type ChainRpc, readUsdcBalance } from '@turnpike/payments'

export type PayerBalance = { atomic: bigint; version: string }
export type PayerBalances = {
  /** `fresh` skips what is remembered. Throws when the chain or Redis cannot be asked. */
  read(payer: string, options?: { fresh?: boolean }): Promise<PayerBalance>
}

const MAX_AGE_MS = 3_000
const MAX_REMEMBERED = 10_000

/**
 * Balances at most three seconds old, and never older than the payer's last settlement here: `version` grows with each, is read
 * before the balance, and the claim refuses a balance whose version has passed.
 */
export function payerBalances(deps: { rpc: ChainRpc; payers: PayerClaims; now(): number }): PayerBalances {
  const remembered = new Map<string, { atomic: bigint; version: string; readAt: number }>()
  const reading = new Map<string, Promise<PayerBalance>>()

  async function readFromChain(payer: string): Promise<PayerBalance> {
    const version = await deps.payers.version(payer)
    const readAt = deps.now()
    const atomic = await readUsdcBalance(deps.rpc, payer)
    remembered.delete(payer)
    remembered.set(payer, { atomic, version, readAt })
    const oldest = remembered.keys().next()
    if (remembered.size > MAX_REMEMBERED && !oldest.done) remembered.delete(oldest.value)
    return { atomic, version }
  }

  return {
    async read(payer, { fresh = false } = {}) {
      const known = remembered.get(payer)
      if (!fresh && known !== undefined && deps.now() - known.readAt < MAX_AGE_MS) return known
      const underway = fresh ? undefined : reading.get(payer)
      if (underway !== undefined) return underway
      const promise = readFromChain(payer).finally(() => {
        if (reading.get(payer) === promise) reading.delete(payer)
      })
      reading.set(payer, promise)
      return promise
    },
  }
}
