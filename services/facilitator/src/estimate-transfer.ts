import { type Hex, USDC_ADDRESS } from '@turnpike/payments'
import type { PublicClient } from 'viem'
import { revertReason } from './diagnose-failure.ts'
import { nodeWords } from './node-words.ts'

export type TransferEstimate =
  | { kind: 'fits'; gas: bigint }
  | { kind: 'too_much_gas' }
  /** With the token's text. */
  | { kind: 'reverts'; reason: string }
  | { kind: 'unavailable' }

/**
 * What it costs alone. The ceiling is given to the node, so that a wallet that burns whatever it gets is stopped there, in the estimate as
 * well; and so is the sender, because a wallet can tell who calls.
 */
export async function estimateTransfer(
  deps: { client: PublicClient; from: Hex; maxTransferGas: bigint },
  data: Hex,
): Promise<TransferEstimate> {
  const { client, from: account, maxTransferGas } = deps
  try {
    const gas = await client.estimateGas({ account, to: USDC_ADDRESS, data, gas: maxTransferGas })
    // A node may be generous with the limit that it was given.
    return gas <= maxTransferGas ? { kind: 'fits', gas } : { kind: 'too_much_gas' }
  } catch (error) {
    if (isOutOfGas(error)) return { kind: 'too_much_gas' }
    const reason = revertReason(error)
    // The check was passed before with gas to spare: what is missing now is gas, or the wallet changed its mind between the two.
    if (reason !== undefined && isUnsignedText(reason)) return { kind: 'too_much_gas' }
    return reason === undefined ? { kind: 'unavailable' } : { kind: 'reverts', reason }
  }
}

/** The words of geth, op-geth, reth, Erigon, Nethermind and anvil, for calls that have a limit and pass it. */
const OUT_OF_GAS =
  /out ?of ?gas|gas required exceeds|intrinsic gas|floor data gas|gas ?floor|CallGasCostMoreThanGasLimit|gas cost exceeds/i

export function isOutOfGas(error: unknown): boolean {
  return OUT_OF_GAS.test(nodeWords(error))
}

/** The token asks a wallet with what gas is left, and takes an answer that ran out of it for "no". */
export function isUnsignedText(reason: string): boolean {
  return reason.includes('FiatTokenV2: invalid signature')
}
