import type { AuditPayment } from '@turnpike/contracts'
import type { Difference, DifferenceCode, Place } from './differences.ts'

/** The transfer as the chain tells it. */
export type ChainTransfer = {
  payer: string
  nonce: string
  amountAtomic: bigint
  transaction: string
  blockNumber: bigint
}

type Said = readonly [who: string, what: string | undefined]

/**
 * Holds every row of one settled payment against its transfer: I7 (the signed amount is the transferred one, because the signature covers
 * it), the parties, the transaction, and I3.
 */
export function compareRows(payment: AuditPayment, transfer: ChainTransfer): Difference[] {
  const { job, receipt, settleResponse } = payment
  const place: Place = {
    transaction: transfer.transaction,
    blockNumber: transfer.blockNumber,
    payer: transfer.payer,
    nonce: transfer.nonce,
    paymentId: payment.paymentId,
    jobId: payment.jobId,
    ...(receipt === null ? {} : { receiptId: receipt.receiptId }),
  }
  const differences: Difference[] = []
  const add = (code: DifferenceCode, detail: string) => differences.push({ code, detail, ...place })
  const all = (code: DifferenceCode, what: string, expected: Said, said: readonly Said[]) => {
    const others = said.filter(([, value]) => value !== expected[1])
    if (others.length === 0) return
    add(code, `${what}: ${[expected, ...others].map(([who, value]) => `${who} ${value ?? 'nothing'}`).join(', ')}`)
  }

  if (job === null) add('job_missing', 'there is no job row')
  if (receipt === null) add('receipt_missing', 'there is no receipt row')
  if (payment.settledOfKey !== 1) add('key_settled_twice', `${payment.settledOfKey} settled payments`)
  all(
    'amount_differs',
    'atomic USDC',
    ['chain', transfer.amountAtomic.toString()],
    [
      ...(job === null ? [] : [['quoted', job.amountAtomic] as const]),
      ['payment', payment.amountAtomic],
      ['response', textOf(settleResponse?.amount)],
      ...(receipt === null ? [] : [['receipt', receipt.amountAtomic] as const]),
    ],
  )
  all(
    'transaction_differs',
    'transaction',
    ['chain', transfer.transaction],
    [
      ['payment', payment.transaction ?? undefined],
      ['response', textOf(settleResponse?.transaction)],
      ...(receipt === null ? [] : [['receipt', receipt.transaction] as const]),
    ],
  )
  all(
    'party_differs',
    'payer',
    ['chain', transfer.payer],
    [
      ...(job === null ? [] : [['job', job.payer] as const]),
      ['payment', payment.payer],
      ['response', textOf(settleResponse?.payer)],
      ...(receipt === null ? [] : [['receipt', receipt.payer] as const]),
    ],
  )
  all(
    'party_differs',
    'nonce',
    ['chain', transfer.nonce],
    [['payment', payment.nonce], ...(receipt === null ? [] : [['receipt', receipt.nonce] as const])],
  )
  all('party_differs', 'recipient', ['payment', payment.payTo], job === null ? [] : [['job', job.payTo]])
  all('party_differs', 'job', ['payment', payment.jobId], receipt === null ? [] : [['receipt', receipt.jobId]])
  return differences
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
