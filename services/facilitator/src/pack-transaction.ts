import { USDC_ADDRESS } from '@turnpike/payments'
import { encodeFunctionData, type Hex, multicall3Abi } from 'viem'
import type { Transfer } from './transfer.ts'

export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * Gas is set, not estimated: with `allowFailure` an estimate is the least gas with which the batch itself does not revert, and
 * that may be too little for its members. Measured on FiatTokenV2_2: 86k alone, 44k to 55k each in a batch. Unused gas is free.
 */
const GAS_ALONE = 150_000n
const GAS_OF_BATCH = 80_000n
const GAS_OF_MEMBER = 90_000n

export interface PackedTransaction {
  to: Hex
  data: Hex
  gas: bigint
}

/** EIP-7825: no transaction may ask for more. */
const MAX_TRANSACTION_GAS = 1n << 24n
export const MAX_MEMBERS = Number((MAX_TRANSACTION_GAS - GAS_OF_BATCH) / GAS_OF_MEMBER)

/** With a quarter to spare, as state may change before it is mined, and never over the limit. */
export function gasOfEstimate(estimate: bigint, maxTransferGas: bigint): bigint {
  const spacious = (estimate * 5n) / 4n
  return spacious < maxTransferGas ? spacious : maxTransferGas
}

/** A single transfer goes to the token itself; several go through Multicall3, where one that fails leaves the others alone. */
export function packTransaction(transfers: readonly Transfer[], gasAlone: bigint = GAS_ALONE): PackedTransaction {
  const [first] = transfers
  if (first !== undefined && transfers.length === 1) {
    return { to: USDC_ADDRESS, data: first.data, gas: gasAlone }
  }
  const calls = transfers.map(({ data }) => ({ target: USDC_ADDRESS, allowFailure: true, callData: data }) as const)
  return {
    to: MULTICALL3_ADDRESS,
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
    gas: GAS_OF_BATCH + GAS_OF_MEMBER * BigInt(transfers.length),
  }
}
