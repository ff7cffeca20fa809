import { type ChainRpc, hasCode } from '@turnpike/payments'
import { rememberedReads } from '../chain/remembered-reads.ts'

/** Whether an address is a contract (or an EIP-7702 account), remembered: garbage signatures must not become chain reads. */
export type PayerCode = (payer: string) => Promise<boolean>

// Code does not go away; an address without any may get some.
const CODE_AGE_MS = 3_600_000
const NO_CODE_AGE_MS = 10_000

export function payerCode(deps: { rpc: ChainRpc; now(): number }): PayerCode {
  const { read } = rememberedReads({
    read: (payer) => hasCode(deps.rpc, payer),
    maxAgeMs: (has) => (has ? CODE_AGE_MS : NO_CODE_AGE_MS),
    maxRemembered: 10_000,
    now: deps.now,
  })
  return (payer) => read(payer)
}
