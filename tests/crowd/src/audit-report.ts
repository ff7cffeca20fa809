import type { AuditRun } from '@turnpike/local'

export type AuditFound = {
  /** 0: no difference. */
  status: number | null
  transfers: number
  receipts: number
  results: number
  differences: number
  /** Void payments whose transfer came after all. */
  refunds: number
  /** Transfers by authorizations that were never presented. */
  foreign: number
  /** What it said, when it said something else than that all is well. */
  text: string
}

/** What the auditor found, of its output with --json. Throws when it could not be carried out. */
export function readAudit({ status, stdout, stderr }: AuditRun): AuditFound {
  if (status !== 0 && status !== 1) throw new Error(`the audit could not be carried out: ${stderr}${stdout}`)
  const report = JSON.parse(stdout) as {
    transfers: number
    receipts: number
    results: number
    differenceCount: number
    differences: unknown[]
    refundCount: number
    foreignCount: number
  }
  return {
    status,
    transfers: report.transfers,
    receipts: report.receipts,
    results: report.results,
    differences: report.differenceCount,
    refunds: report.refundCount,
    foreign: report.foreignCount,
    text: report.differenceCount === 0 ? '' : JSON.stringify(report.differences, null, 2),
  }
}
