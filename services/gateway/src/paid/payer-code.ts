import { type ChainRpc, hasCode } from '@turnpike/payments'

/** Whether an address is a contract (or an EIP-7702 account), remembered: garbage signatures must not become chain reads. */
export type PayerCode = (payer: string) => Promise<boolean>

// Code does not go away; an address without any may get some.
const CODE_AGE_MS = 3_600_000
const NO_CODE_AGE_MS = 10_000
const MAX_REMEMBERED = 10_000

export function payerCode(deps: { rpc: ChainRpc; now(): number }): PayerCode {
  const remembered = new Map<string, { has: boolean; until: number }>()
  return async (payer) => {
    const known = remembered.get(payer)
    if (known !== undefined && deps.now() < known.until) return known.has
    const has = await hasCode(deps.rpc, payer)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(payer, { has, until: deps.now() + (has ? CODE_AGE_MS : NO_CODE_AGE_MS) })
    return has
  }
}
