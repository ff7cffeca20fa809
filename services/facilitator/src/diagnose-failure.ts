import { type Hex, isContractVerdict, USDC_ADDRESS } from '@turnpike/payments'
import { BaseError, decodeErrorResult, type PublicClient, parseAbi } from 'viem'

const REVERT_ABI = parseAbi(['error Error(string)'])

export type FailureDiagnosis =
  /** It would work now: whatever stopped it is over (a neighbour in the batch that burned the gas, a top-up). */
  { kind: 'works_now' } | { kind: 'reverts'; reason: string } | { kind: 'unavailable' }

/** Why did this call fail? A receipt does not say, so the call is tried again without being sent. */
export async function diagnoseFailure(client: PublicClient, data: Hex): Promise<FailureDiagnosis> {
  try {
    await client.request({ method: 'eth_call', params: [{ to: USDC_ADDRESS, data }, 'latest'] })
    return { kind: 'works_now' }
  } catch (error) {
    const reason = revertReason(error)
    return reason === undefined ? { kind: 'unavailable' } : { kind: 'reverts', reason }
  }
}

/** The contract's text, or a stand-in where it gave none; undefined when the error is not the contract's at all. */
export function revertReason(error: unknown): string | undefined {
  const data = revertData(error)
  if (data !== undefined && data !== '0x') {
    try {
      const { args } = decodeErrorResult({ abi: REVERT_ABI, data })
      return args[0]
    } catch {
      return 'the token gave another kind of error'
    }
  }
  return isContractVerdict(error) ? 'the token gave no reason' : undefined
}

function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const holder = error.walk((cause) => cause instanceof Error && 'data' in cause && isHex(cause.data))
  return holder !== null && 'data' in holder && isHex(holder.data) ? holder.data : undefined
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
}
