import { formatUsdc } from '@turnpike/contracts'
import type { AuditReport, ForeignTransfer, RefundDue } from './audit-book.ts'
import { DIFFERENCES, type Difference, type Place } from './differences.ts'

const SHOWN = 20

/** For a person: every difference with what it can be looked up by, then what else came up, then the summary as the last line. */
export function reportAsText(report: AuditReport): string {
  const { range, differences, differenceCount, refunds, refundCount, foreign, foreignCount, expiredResults } = report
  const lines = [`Blocks ${range.from} to ${range.to}`]
  for (const [at, difference] of differences.entries()) lines.push('', ...describeDifference(at + 1, difference))
  if (differenceCount > differences.length) lines.push('', `and ${differenceCount - differences.length} more differences`)
  if (refundCount > 0)
    lines.push('', `Due for refund, late transfers on void payments: ${refundCount}`, ...shown(refunds, describeRefund))
  if (foreignCount > 0) lines.push('', `Foreign, never presented here: ${foreignCount}`, ...shown(foreign, describeForeign))
  if (expiredResults > 0) lines.push('', `Results past their seven days: ${expiredResults}`)
  return `${[...lines, '', summaryOf(report)].join('\n')}\n`
}

export function summaryOf({ transfers, receipts, results, differenceCount }: AuditReport): string {
  return `${transfers} transfers, ${receipts} receipts, ${results} results checked, ${differenceCount} differences`
}

export function reportAsJson(report: AuditReport): string {
  const text = JSON.stringify(report, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value), 2)
  return `${text}\n`
}

function describeDifference(number: number, difference: Difference): string[] {
  const { invariant, says } = DIFFERENCES[difference.code]
  return [`${number}  ${difference.code} (${invariant}): ${says}`, ...rowsOf({ found: difference.detail, ...idRows(difference) })]
}

function idRows({
  transaction,
  blockNumber,
  payer,
  nonce,
  paymentId,
  jobId,
  receiptId,
}: Place): Record<string, string | undefined> {
  return {
    transaction: transaction === undefined || blockNumber === undefined ? transaction : `${transaction} in block ${blockNumber}`,
    payer,
    nonce,
    payment: paymentId,
    job: jobId,
    receipt: receiptId,
  }
}

function rowsOf(rows: Record<string, string | undefined>): string[] {
  return Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [`   ${name.padEnd(12)} ${value}`]))
}

function describeRefund({ transaction, payer, paymentId, amountAtomic, isListed }: RefundDue): string {
  return `${formatUsdc(amountAtomic)} USDC to ${payer}, ${transaction}, payment ${paymentId}${isListed ? '' : ', not listed yet'}`
}

function describeForeign({ transaction, payer, amountAtomic, isAuthorized }: ForeignTransfer): string {
  return `${formatUsdc(amountAtomic)} USDC from ${payer}, ${transaction}${isAuthorized ? ', by an authorization' : ''}`
}

function shown<T>(entries: readonly T[], describe: (entry: T) => string): string[] {
  const rest = entries.length - SHOWN
  return [...entries.slice(0, SHOWN).map((entry) => `   ${describe(entry)}`), ...(rest > 0 ? [`   … (--json lists them)`] : [])]
}
