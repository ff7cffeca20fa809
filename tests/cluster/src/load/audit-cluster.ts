import { type AuditFound, readAudit } from '@turnpike/crowd'
import { runAuditor } from '@turnpike/local'
import type { Cluster } from '../cluster.ts'
import type { Guarded } from '../guarded/wire-guards.ts'
import { auditToken } from '../install/prepare-namespace.ts'
import { RELEASE } from '../kube/kube.ts'
import { forwardPort } from '../kube/port-forward.ts'

const LEDGER_PORT = 9402

/** The auditor as an operator runs it: the installation's ledger, results and receipts against the chain, from a block on. */
export async function auditCluster(cluster: Cluster, fromBlock: bigint): Promise<AuditFound> {
  try {
    return await auditOnce(cluster, fromBlock)
  } catch (error) {
    // What it asked through may have ended: that says nothing about the books.
    cluster.say(`  the audit is repeated: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
    return await auditOnce(cluster, fromBlock)
  }
}

async function auditOnce({ kube, beside, gatewayUrl }: Cluster, fromBlock: bigint): Promise<AuditFound> {
  const { identity, signers, s3, rpcUrl, guarded } = beside
  const ledger = await forwardPort(kube.namespace, `service/${RELEASE}-ledger`, LEDGER_PORT)
  try {
    const env = {
      GATEWAY_URL: gatewayUrl,
      LEDGER_URL: `${guarded === undefined ? 'http' : 'https'}://${ledger.address}`,
      AUDIT_TOKEN: auditToken(identity),
      RECEIPT_TOKEN_KEYS: identity.receiptTokenKeys,
      CONTENT_KEYS: identity.contentKeys,
      CHAIN_RPC_URL: rpcUrl,
      PAY_TO: identity.payTo.address,
      FACILITATOR_SIGNERS: signers.map(({ address }) => address).join(','),
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
      ...(guarded === undefined ? {} : underItsAccount(guarded)),
    }
    return readAudit(await runAuditor(env, ['--json', '--from', fromBlock.toString()]))
  } finally {
    await ledger.close()
  }
}

function underItsAccount({ guards, passwords }: Guarded): Record<string, string> {
  return {
    LEDGER_TLS_CA: guards.ledger.ca,
    S3_TLS_CA: guards.s3.ca,
    S3_ACCESS_KEY_ID: 'auditor',
    S3_SECRET_ACCESS_KEY: passwords.s3.auditor,
  }
}
