import { type AuditFound, readAudit } from '@turnpike/crowd'
import { auditStack } from '@turnpike/local'
import type { FaultyStack } from './faulty-stack.ts'

/** The auditor as an operator runs it, over the whole chain: the ledger's rows, released results and public receipts against the events. */
export async function runAudit({ home, signer }: Pick<FaultyStack, 'home' | 'signer'>): Promise<AuditFound> {
  return readAudit(await auditStack(home, ['--json'], { env: { FACILITATOR_SIGNERS: signer } }))
}
