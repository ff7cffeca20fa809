// node /app/keys.mjs: makes what the containers know each other by, once, into a volume: one file for each variable, as NAME_FILE reads
// it. All of it is fresh and random: a signature that is made on the local chain is valid on Base.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { freshIdentity } from '../identity.ts'
import { keyFile, localConfig } from './config.ts'

const config = localConfig(process.env)
const last = keyFile(config, 'complete')
if (existsSync(last)) process.stdout.write('the keys of this stack are there\n')
else {
  mkdirSync(config.keysFolder, { recursive: true })
  for (const [name, value] of Object.entries(freshKeys())) {
    // Postgres and the S3 server are other users than our services.
    writeFileSync(keyFile(config, name), value, { mode: 0o444 })
  }
  writeFileSync(last, '')
  process.stdout.write('made the keys of this stack\n')
}

function freshKeys(): Record<string, string> {
  const identity = freshIdentity()
  const postgres = randomBytes(24).toString('base64url')
  const ledger = randomBytes(24).toString('base64url')
  return {
    'wallet.json': JSON.stringify(identity.wallet),
    'signer-address': identity.signer.address,
    SIGNER_PRIVATE_KEY: identity.signer.privateKey,
    PAY_TO: identity.payTo.address,
    CONTENT_KEYS: identity.contentKeys,
    INTERNAL_TOKEN: identity.internalToken,
    FACILITATOR_TOKEN: randomBytes(32).toString('base64url'),
    RECEIPT_TOKEN_KEYS: identity.receiptTokenKeys,
    MEDIA_CAPABILITY_KEYS: identity.mediaCapabilityKeys,
    STAGING_KEYS: identity.stagingKeys,
    RECEIPT_SIGNING_KEYS: identity.receiptSigningKeys,
    POSTGRES_PASSWORD: postgres,
    MIGRATION_DATABASE_URL: `postgres://turnpike:${postgres}@postgres:5432/turnpike`,
    DATABASE_URL: `postgres://turnpike_ledger:${ledger}@postgres:5432/turnpike`,
    S3_ACCESS_KEY_ID: `local${randomBytes(8).toString('hex')}`,
    S3_SECRET_ACCESS_KEY: randomBytes(30).toString('base64url'),
    CLUSTER_ID: randomBytes(16).toString('base64url').replaceAll('-', 'A'),
  }
}
