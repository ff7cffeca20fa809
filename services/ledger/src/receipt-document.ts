import { canonical, formatUsdc, type Receipt } from '@turnpike/contracts'
import { NETWORK, USDC_ADDRESS } from '@turnpike/payments'
import { type Ed25519PrivateJwk, signDetached } from '@turnpike/sealing'
import type { UndecidedPayment } from './undecided-payment.ts'

/** The receipt of one settled payment, signed over the RFC 8785 form of everything but the signature. */
export function issueReceipt(input: {
  id: string
  payment: UndecidedPayment & { responseSha256: string; usage: Record<string, unknown> }
  transaction: string
  createdAtMs: number
  signingKey: Ed25519PrivateJwk
}): Receipt {
  const { id, payment, transaction, createdAtMs, signingKey } = input
  const unsigned: Omit<Receipt, 'signature'> = {
    id,
    object: 'receipt',
    created: Math.floor(createdAtMs / 1000),
    request_id: payment.requestId,
    endpoint: payment.endpoint,
    model: payment.model,
    catalog_version: payment.catalogVersion,
    price: {
      amount_atomic: payment.amountAtomic.toString(),
      amount: formatUsdc(payment.amountAtomic),
      currency: 'USDC',
      inputs: payment.priceInputs,
    },
    payment: {
      network: NETWORK,
      asset: USDC_ADDRESS,
      payer: payment.payer,
      pay_to: payment.payTo,
      nonce: payment.nonce,
      transaction,
    },
    usage: payment.usage,
    request_sha256: payment.fingerprint,
    response_sha256: payment.responseSha256,
  }
  return { ...unsigned, signature: signDetached(signingKey, canonical(unsigned)) }
}
