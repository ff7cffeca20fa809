import { parseAbi, parseErc6492Signature, toHex } from 'viem'
import { authorizationDigest } from './authorization-digest.ts'
import { type ChainRpc, hasCode } from './chain-rpc.ts'
import { isContractVerdict } from './contract-verdict.ts'
import type { Payment } from './payment-signature.ts'

const ERC1271_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const ERC1271_MAGIC = '0x1626ba7e'

export type ContractSignatureCheck = { kind: 'valid' } | { kind: 'invalid' } | { kind: 'unavailable'; why: string }

/**
 * Asks the payer's own contract (ERC-1271) about a signature, as USDC does. A used nonce or an empty balance does not matter
 * here, so a wallet can prove itself for a replay. An undeployed wallet cannot: nobody is there to ask.
 */
export async function verifyContractSignature(
  rpc: ChainRpc,
  payment: Pick<Payment, 'authorization' | 'signature'>,
): Promise<ContractSignatureCheck> {
  const address = payment.authorization.from
  try {
    if (!(await hasCode(rpc, address))) return { kind: 'invalid' }
    const { signature } = parseErc6492Signature(payment.signature)
    const args = [toHex(authorizationDigest(payment.authorization)), signature] as const
    const answer = await rpc.client.readContract({ address, abi: ERC1271_ABI, functionName: 'isValidSignature', args })
    return { kind: answer.toLowerCase() === ERC1271_MAGIC ? 'valid' : 'invalid' }
  } catch (error) {
    return isContractVerdict(error)
      ? { kind: 'invalid' }
      : { kind: 'unavailable', why: error instanceof Error ? error.name : 'rpc error' }
  }
}
