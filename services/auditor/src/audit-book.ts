import type { Difference, Place } from './differences.ts'

export type BlockRange = { from: bigint; to: bigint }
export type RefundDue = Place & { amountAtomic: bigint; isListed: boolean }
export type ForeignTransfer = Place & { amountAtomic: bigint; isAuthorized: boolean }

/** What one audit found. Counts are exact; the lists end at MAX_LISTED entries. */
export type AuditReport = {
  range: BlockRange
  /** To the seller, by authorizations that were presented here. */
  transfers: number
  /** Fetched and found good. */
  receipts: number
  results: number
  /** Past their seven days, and gone as they should be. */
  expiredResults: number
  differenceCount: number
  differences: Difference[]
  /** Late transfers on void payments: the operator owes them. Chain and ledger agree about them, so they are no difference. */
  refundCount: number
  refunds: RefundDue[]
  /** Money that strangers sent, without presenting anything here. */
  foreignCount: number
  foreign: ForeignTransfer[]
}

/** More is counted and not listed: anybody can send a seller any number of transfers of nothing. */
export const MAX_LISTED = 10_000

export type AuditBook = {
  readonly report: AuditReport
  differ(...differences: readonly Difference[]): void
  oweRefund(refund: RefundDue): void
  noteForeign(transfer: ForeignTransfer): void
}

export function openBook(range: BlockRange): AuditBook {
  const report: AuditReport = {
    range,
    ...{ transfers: 0, receipts: 0, results: 0, expiredResults: 0 },
    ...{ differenceCount: 0, differences: [], refundCount: 0, refunds: [], foreignCount: 0, foreign: [] },
  }
  const list = <T>(entries: T[], entry: T) => {
    if (entries.length < MAX_LISTED) entries.push(entry)
  }
  return {
    report,
    differ(...differences) {
      for (const difference of differences) list(report.differences, difference)
      report.differenceCount += differences.length
    },
    oweRefund(refund) {
      list(report.refunds, refund)
      report.refundCount++
    },
    noteForeign(transfer) {
      list(report.foreign, transfer)
      report.foreignCount++
    },
  }
}
