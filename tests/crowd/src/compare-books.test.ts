import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { compareBooks, type ReceiptSeen } from './compare-books.ts'
import { newRequest, type PaidRequest } from './paid-request.ts'

const payTo = `0x${'aa'.repeat(20)}`
const payer = `0x${'bb'.repeat(20)}` as const
const nonce = `0x${'01'.repeat(32)}` as const
const transaction = `0x${'02'.repeat(32)}` as const
const transfer = { payer, nonce, amountAtomic: 2_000n, transaction }

/** One request, paid and answered, with all that belongs to it. */
function whole() {
  const request = newRequest(1, { address: payer, privateKey: nonce }, 'text')
  request.nonces.add(nonce)
  request.quotedAtomic = 2_000n
  request.paid = {
    body: 'answer',
    receiptId: 'r1',
    receiptToken: 't1',
    paymentResponse: Buffer.from(JSON.stringify({ transaction })).toString('base64'),
    replays: 0,
  }
  const receipt: ReceiptSeen = {
    id: 'r1',
    response_sha256: createHash('sha256').update('answer').digest('hex'),
    price: { amount_atomic: '2000' },
    payment: { payer, nonce, transaction, pay_to: payTo },
  }
  return { payTo, request, receipt, transfers: [transfer] }
}

function differencesOf(change: (books: ReturnType<typeof whole>) => void): string[] {
  const books = whole()
  change(books)
  const receipts = new Map(books.receipt.id === '' ? [] : [['r1', books.receipt]])
  return compareBooks({ payTo, transfers: books.transfers, requests: [books.request], receipts }).differences
}

/** As a request that was never answered with a 200. */
function unpaid(request: PaidRequest): void {
  request.paid = undefined
}

describe('the comparison of chain, receipts and results', () => {
  it('finds nothing where all three agree', () => {
    expect(differencesOf(() => {})).toEqual([])
  })

  it('finds a second transfer under one key', () => {
    const second = { ...transfer, nonce: `0x${'03'.repeat(32)}` as const }
    const found = differencesOf(({ request, transfers }) => {
      request.nonces.add(second.nonce)
      transfers.push(second)
    })
    expect(found).toEqual(['request 1: paid 2 times', '2 transfers, 1 receipts, 1 results'])
  })

  it('finds a transfer without a result, a result without a transfer, and a transfer that nobody signed here', () => {
    expect(differencesOf(({ request }) => unpaid(request))[0]).toMatch(/paid by .*, and its client has no result/)
    expect(differencesOf(({ transfers }) => transfers.splice(0))[0]).toBe('request 1: has a result that nobody paid')
    expect(differencesOf(({ request }) => request.nonces.clear())[0]).toMatch(/belongs to no request/)
  })

  it('finds a receipt that cannot be had', () => {
    const found = differencesOf(({ receipt }) => {
      receipt.id = ''
    })
    expect(found).toEqual(['request 1: receipt r1 cannot be had'])
  })

  it('finds every fact that is not the same everywhere', () => {
    const other = `0x${'ff'.repeat(32)}` as const
    const changes: [string, (books: ReturnType<typeof whole>) => void][] = [
      ['response hash', ({ receipt }) => Object.assign(receipt, { response_sha256: 'x' })],
      ['amount quoted', ({ request }) => Object.assign(request, { quotedAtomic: 1n })],
      ['amount on the receipt', ({ receipt }) => Object.assign(receipt.price, { amount_atomic: '1' })],
      ['transaction', ({ receipt }) => Object.assign(receipt.payment, { transaction: other })],
      ['transaction in PAYMENT-RESPONSE', ({ request }) => Object.assign(request.paid ?? {}, { paymentResponse: 'x' })],
      ['nonce', ({ receipt }) => Object.assign(receipt.payment, { nonce: other })],
      ['payer', ({ receipt }) => Object.assign(receipt.payment, { payer: payTo })],
      ['recipient', ({ receipt }) => Object.assign(receipt.payment, { pay_to: payer })],
    ]
    for (const [name, change] of changes) {
      const found = differencesOf(change)
      expect(found, name).toHaveLength(1)
      expect(found[0], name).toMatch(new RegExp(`^request 1: ${name} is `))
    }
  })
})
