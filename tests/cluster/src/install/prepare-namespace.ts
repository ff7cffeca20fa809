import { VOICE_ALIASES } from '@turnpike/contracts'
import { until } from '@turnpike/testing'
import { type Beside, SANDBOX_KEY } from '../beside/start-beside.ts'
import { guardedObjects } from '../guarded/guarded-objects.ts'
import type { Kube } from '../kube/kube.ts'
import { mustRun } from '../kube/run-command.ts'
import { SECRET_NAME, signerKey, TEST_WALLET_KEY } from './values.ts'

const VOICE_ID_LENGTH = 20
const DELETE_MS = 180_000

/** A fresh namespace with what an operator brings: the Secret, and more of them where connections are guarded. Whatever an earlier run left there is deleted. */
export async function prepareNamespace(kube: Kube, beside: Beside): Promise<void> {
  await deleteNamespace(kube)
  const { namespace } = kube
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await until('the namespace has its account', async () => (await kube.tryKubectl(['get', 'sa', 'default'])).status === 0)
  const stringData = secretsOf(beside)
  await kube.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET_NAME, namespace }, type: 'Opaque', stringData })
  if (beside.guarded !== undefined) await kube.apply(...guardedObjects(namespace, beside.guarded))
}

export async function deleteNamespace({ namespace }: Kube): Promise<void> {
  const args = ['delete', 'namespace', namespace, '--ignore-not-found', `--timeout=${DELETE_MS / 1_000}s`]
  await mustRun('kubectl', args, { timeoutMs: DELETE_MS + 10_000 })
}

/** Under the keys that the chart's values name. */
function secretsOf({ identity, signers, databaseUrl: ownerUrl, redisUrl, rpcUrl, s3, guarded }: Beside): Record<string, string> {
  // Accounts of services have Secrets of their own; the address of Redis then holds no password and stands in the values.
  const everybodys = { REDIS_URL: redisUrl, S3_ACCESS_KEY_ID: s3.accessKeyId, S3_SECRET_ACCESS_KEY: s3.secretAccessKey }
  const databaseUrl = guarded === undefined ? ownerUrl : `${ownerUrl}?sslmode=verify-full`
  const voices = VOICE_ALIASES.map((alias) => [alias, `Sandbox${alias}`.padEnd(VOICE_ID_LENGTH, '0')])
  return {
    DATABASE_URL: serviceDatabaseUrl(databaseUrl, identity.internalToken),
    MIGRATION_DATABASE_URL: databaseUrl,
    CHAIN_RPC_URL: rpcUrl,
    INTERNAL_TOKEN: identity.internalToken,
    CONTENT_KEYS: identity.contentKeys,
    RECEIPT_TOKEN_KEYS: identity.receiptTokenKeys,
    RECEIPT_SIGNING_KEYS: identity.receiptSigningKeys,
    MEDIA_CAPABILITY_KEYS: identity.mediaCapabilityKeys,
    STAGING_KEYS: identity.stagingKeys,
    GEMINI_API_KEY: SANDBOX_KEY,
    ELEVENLABS_API_KEY: SANDBOX_KEY,
    VOICES: JSON.stringify(Object.fromEntries(voices)),
    ...(guarded === undefined ? everybodys : {}),
    FACILITATOR_TOKEN: `facilitator-${identity.internalToken}`,
    AUDIT_TOKEN: auditToken(identity),
    [TEST_WALLET_KEY]: identity.wallet.privateKey,
    ...Object.fromEntries(signers.map(({ privateKey }, place) => [signerKey(place), privateKey])),
  }
}

/** A role of its own for the ledger, which the migration makes. */
function serviceDatabaseUrl(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl)
  url.username = 'turnpike_ledger'
  url.password = password
  return url.href
}

/** What the auditor shows the ledger. */
export function auditToken({ internalToken }: Beside['identity']): string {
  return `audit-${internalToken}`
}
