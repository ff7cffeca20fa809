import { type ChainRpc, readUsdcBalance } from '@turnpike/payments'
import { rememberedReads } from './remembered-reads.ts'

/** Atomic USDC of a lower-cased address; undefined when it is not to be had now. Never throws. */
export type WalletBalances = (address: string) => Promise<bigint | undefined>

const MAX_AGE_MS = 3_000
/** Anybody may ask for any address: what is in flight to the node at once is bounded, so that payments are not kept waiting by it. */
const MAX_IN_FLIGHT = 64

/** Live from the chain, at most three seconds old. Apart from what admission remembers: that must not be crowded out from here. */
export function walletBalances(deps: { rpc: ChainRpc; now(): number; maxInFlight?: number }): WalletBalances {
  let inFlight = 0
  const balances = rememberedReads({
    async read(address) {
      if (inFlight >= (deps.maxInFlight ?? MAX_IN_FLIGHT)) throw new Error('too many balance lookups at once')
      inFlight++
      try {
        return await readUsdcBalance(deps.rpc, address)
      } finally {
        inFlight--
      }
    },
    maxAgeMs: () => MAX_AGE_MS,
    maxRemembered: 10_000,
    now: deps.now,
  })
  return async (address) => {
    try {
      return await balances.read(address)
    } catch {
      return undefined
    }
  }
}
