import { createHash } from 'node:crypto'
import type { TransferToSeller } from '@turnpike/payments'
import type { PaidRequest } from './paid-request.ts'

/** What the clients' side of the books needs of a receipt. */
export type ReceiptSeen = {
  id: string
  response_sha256: string
  price: { amount_atomic: string }
  payment: { payer: string; nonce: string; transaction: string; pay_to: string }
}

export type Books = {
  transfers: number
  receipts: number
  results: number
  /** Keys that can never be paid any more, uncharged. */
  closed: number
  differences: string[]
}

/** Holds the chain against what the clients got: one transfer, one receipt, one result per paid key, of one amount, and nothing besides. */
export function compareBooks(input: {
  payTo: string
  transfers: readonly Pick<TransferToSeller, 'payer' | 'nonce' | 'amountAtomic' | 'transaction'>[]
  requests: readonly PaidRequest[]
  /** By receipt id, as their holders got them. */
  receipts: ReadonlyMap<string, ReceiptSeen>
}): Books {
  const { payTo, transfers, requests, receipts } = input
  const differences: string[] = []
  const owners = new Map(requests.flatMap((request) => [...request.nonces].map((nonce) => [nonce, request] as const)))
  const transfersOf = new Map<PaidRequest, (typeof transfers)[number][]>()
  for (const transfer of transfers) {
    const request = transfer.nonce === undefined ? undefined : owners.get(transfer.nonce)
    if (request === undefined) differences.push(`transfer ${transfer.transaction} belongs to no request of a client`)
    else transfersOf.set(request, [...(transfersOf.get(request) ?? []), transfer])
  }
  const receiptIds = new Set<string>()
  for (const request of requests) {
    const say = (what: string) => differences.push(`request ${request.number}: ${what}`)
    const { paid } = request
    const receipt = paid === undefined ? undefined : receipts.get(paid.receiptId)
    const made = transfersOf.get(request) ?? []
    if (made.length > 1) say(`paid ${made.length} times`)
    const transfer = made.find(({ nonce }) => nonce === receipt?.payment.nonce.toLowerCase()) ?? made[0]
    if (paid === undefined) {
      if (transfer !== undefined) say(`paid by ${transfer.transaction}, and its client has no result`)
      continue
    }
    if (transfer === undefined) {
      say('has a result that nobody paid')
      continue
    }
    if (receiptIds.has(paid.receiptId)) say(`shares receipt ${paid.receiptId} with another request`)
    receiptIds.add(paid.receiptId)
    if (receipt === undefined) {
      say(`receipt ${paid.receiptId} cannot be had`)
      continue
    }
    const sha256 = createHash('sha256').update(paid.body).digest('hex')
    const facts: [string, unknown, unknown][] = [
      ['receipt id', receipt.id, paid.receiptId],
      ['response hash', receipt.response_sha256, sha256],
      ['amount quoted', request.quotedAtomic, transfer.amountAtomic],
      ['amount on the receipt', receipt.price.amount_atomic, transfer.amountAtomic.toString()],
      ['transaction', receipt.payment.transaction.toLowerCase(), transfer.transaction.toLowerCase()],
      ['transaction in PAYMENT-RESPONSE', transactionIn(paid.paymentResponse), transfer.transaction.toLowerCase()],
      ['nonce', receipt.payment.nonce.toLowerCase(), transfer.nonce],
      ['payer', receipt.payment.payer.toLowerCase(), request.wallet.address.toLowerCase()],
      ['payer on the chain', transfer.payer, request.wallet.address.toLowerCase()],
      ['recipient', receipt.payment.pay_to.toLowerCase(), payTo.toLowerCase()],
    ]
    for (const [name, said, expected] of facts) if (said !== expected) say(`${name} is ${said}, expected ${expected}`)
  }
  const paid = requests.filter((request) => request.paid !== undefined).length
  if (new Set([transfers.length, receiptIds.size, paid]).size !== 1) {
    differences.push(`${transfers.length} transfers, ${receiptIds.size} receipts, ${paid} results`)
  }
  const closed = requests.filter((request) => request.closedBy !== undefined).length
  return { transfers: transfers.length, receipts: receiptIds.size, results: paid, closed, differences }
}

function transactionIn(paymentResponse: string): string | undefined {
  try {
    const { transaction } = JSON.parse(Buffer.from(paymentResponse, 'base64').toString('utf8')) as { transaction?: string }
    return transaction?.toLowerCase()
  } catch {
    return undefined
  }
}
