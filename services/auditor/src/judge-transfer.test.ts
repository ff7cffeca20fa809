import { randomUUID } from 'node:crypto'
import type { AuditAuthorization, AuditPayment } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { type AuthorizedTransfer, judgeTransfer } from './judge-transfer.ts'

const payer = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const payTo = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const facilitator = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
const nonce = `0x${'ab'.repeat(32)}` as const
const transaction = `0x${'12'.repeat(32)}` as const
const transfer: AuthorizedTransfer = {
  ...{ payer, nonce, amountAtomic: 2000n, transaction, blockNumber: 7n, logIndex: 1, sentBy: facilitator },
}
const ours = new Set([facilitator])

function payment(change: Partial<AuditPayment> = {}): AuditPayment {
  const jobId = 'a'.repeat(64)
  return {
    ...{ paymentId: randomUUID(), jobId, payer, nonce, payTo, amountAtomic: '2000', state: 'settled', transaction },
    ...{ lateTransaction: null, isWatched: false, blockAtStart: '6', settledOfKey: 1, resultMayBeGone: false },
    settleResponse: { success: true, transaction, payer, amount: '2000' },
    job: { amountAtomic: '2000', payer, payTo },
    receipt: { receiptId: randomUUID(), jobId, payer, nonce, transaction, amountAtomic: '2000' },
    ...change,
  }
}
function found(...payments: AuditPayment[]): AuditAuthorization {
  const receiptId = payments.find(({ receipt }) => receipt !== null)?.receipt?.receiptId ?? null
  return { payer, nonce, wasPresented: true, hasOpenJob: false, receiptId, payments }
}
const unpaid = { transaction: null, settleResponse: null, receipt: null }
const codes = (known: AuditAuthorization) => {
  const verdict = judgeTransfer(transfer, known, ours)
  return 'differences' in verdict ? verdict.differences.map(({ code }) => code) : verdict.kind
}

describe('judgeTransfer', () => {
  it('finds nothing where one settled payment says what the chain says', () => {
    const known = found(payment())
    expect(judgeTransfer(transfer, known, ours)).toEqual({ kind: 'settled', payment: known.payments[0], differences: [] })
    expect(codes(found(payment({ ...unpaid, state: 'void' }), payment()))).toEqual([])
  })

  it('names who says something else, with every id to look it up by', () => {
    const wrong = payment({ job: { amountAtomic: '1999', payer, payTo } })
    const verdict = judgeTransfer(transfer, found(wrong), ours)
    expect(verdict).toMatchObject({
      kind: 'settled',
      differences: [
        {
          ...{ code: 'amount_differs', detail: 'atomic USDC: chain 2000, quoted 1999' },
          ...{ transaction, blockNumber: 7n, payer, nonce, paymentId: wrong.paymentId, jobId: wrong.jobId },
          receiptId: wrong.receipt?.receiptId,
        },
      ],
    })
  })

  it.each<[string, Partial<AuditPayment>, string]>([
    ['amount settled', { amountAtomic: '2001' }, 'amount_differs'],
    ['amount in the response', { settleResponse: { transaction, payer, amount: '1' } }, 'amount_differs'],
    ['transaction in the response', { settleResponse: { transaction: '0x', payer, amount: '2000' } }, 'transaction_differs'],
    ['payer in the response', { settleResponse: { transaction, payer: payTo, amount: '2000' } }, 'party_differs'],
    ['nonce', { nonce: transaction }, 'party_differs'],
    ['recipient quoted', { job: { amountAtomic: '2000', payer, payTo: payer } }, 'party_differs'],
    ['number of payments of the key', { settledOfKey: 2 }, 'key_settled_twice'],
  ])('sees another %s', (_what, change, code) => {
    expect(codes(found(payment(change)))).toEqual([code])
  })

  it('tells what is missing', () => {
    expect(codes(found(payment({ job: null })))).toEqual(['job_missing'])
    expect(codes(found(payment({ receipt: null })))).toEqual(['receipt_missing'])
    expect(codes({ ...found(), receiptId: randomUUID() })).toEqual(['receipt_without_payment'])
    expect(codes(found())).toEqual(['transfer_without_payment'])
    expect(codes(found(payment(), payment()))).toEqual(['authorization_settled_twice'])
  })

  it('waits for what is being decided', () => {
    expect(codes(found(payment({ ...unpaid, state: 'settling' })))).toBe('undecided')
    expect(codes(found(payment({ ...unpaid, state: 'unknown' })))).toBe('undecided')
    expect(codes({ ...found(), hasOpenJob: true })).toBe('undecided')
  })

  it('calls a late transfer due for refund while the ledger has it on its list, or will have', () => {
    const voided = { ...unpaid, state: 'void' }
    const listed = judgeTransfer(transfer, found(payment({ ...voided, lateTransaction: transaction })), ours)
    expect(listed).toMatchObject({ kind: 'refund_due', isListed: true })
    const watched = judgeTransfer(transfer, found(payment({ ...voided, isWatched: true })), ours)
    expect(watched).toMatchObject({ kind: 'refund_due', isListed: false })
    expect(codes(found(payment(voided)))).toEqual(['late_transfer_not_listed'])
    expect(codes(found(payment({ ...voided, lateTransaction: nonce })))).toEqual(['late_transfer_not_listed'])
  })

  it('leaves strangers alone, unless our own facilitator sent their transfer', () => {
    const unknown = { ...found(), wasPresented: false }
    expect(judgeTransfer({ ...transfer, sentBy: payer }, unknown, ours)).toEqual({ kind: 'foreign' })
    expect(codes(unknown)).toEqual(['transfer_unknown'])
  })
})
