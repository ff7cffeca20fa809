import { auditStack } from '@turnpike/local'
import type { FaultyStack } from './faulty-stack.ts'

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

/** The auditor as an operator runs it, over the whole chain: the ledger's rows, released results and public receipts against the events. */
export async function runAudit({ home, signer }: Pick<FaultyStack, 'home' | 'signer'>): Promise<AuditFound> {
  const { status, stdout, stderr } = await auditStack(home, ['--json'], { env: { FACILITATOR_SIGNERS: signer } })
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
