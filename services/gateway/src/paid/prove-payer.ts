import { type ChainRpc, type Payment, verifyContractSignature, verifySignatureLocally } from '@turnpike/payments'
import type { PayerCode } from './payer-code.ts'

/** `contract`: only the payer's own contract can tell. */
export type PayerProof = { kind: 'proved' } | { kind: 'contract' } | { kind: 'invalid' }

const EOA_SIGNATURE_LENGTH = 2 + 65 * 2

/**
 * Whether the signature is the payer's. A plain account is proved without a network; any other signature may be right for a contract,
 * which takes what it likes, 65 bytes that recover nobody included. Throws when the chain cannot be asked whether there is one.
 */
export async function provePayer(deps: { payerCode: PayerCode }, payment: Payment): Promise<PayerProof> {
  if (verifySignatureLocally(payment).kind === 'valid') return { kind: 'proved' }
  // Longer ones may deploy their wallet first (ERC-6492): for the facilitator to judge.
  if (payment.signature.length > EOA_SIGNATURE_LENGTH) return { kind: 'contract' }
  return (await deps.payerCode(payment.authorization.from)) ? { kind: 'contract' } : { kind: 'invalid' }
}

/** For joins and replays: neither an emptied wallet nor a used nonce stands in the way, so the facilitator is not asked. */
export async function provesPayer(deps: { payerCode: PayerCode; rpc: ChainRpc }, payment: Payment): Promise<boolean> {
  const proof = await provePayer(deps, payment)
  if (proof.kind !== 'contract') return proof.kind === 'proved'
  const contract = await verifyContractSignature(deps.rpc, payment)
  if (contract.kind === 'unavailable') throw new Error('the payer contract could not be asked')
  return contract.kind === 'valid'
}
