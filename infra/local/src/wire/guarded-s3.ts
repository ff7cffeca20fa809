import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { PutBucketPolicyCommand, type S3Client } from '@aws-sdk/client-s3'
import { bucketPolicy, S3_RIGHTS } from '@turnpike/access'
import { keptPasswords } from './accounts.ts'
import { type Credentials, credentialFiles } from './authority.ts'

/** On top of the plain arguments: TLS, and a user for every principal, which may do what the bucket's policy says. */
export function guardedS3Arguments(dir: string, guard: Credentials): string[] {
  const files = credentialFiles(join(dir, 'tls'), guard)
  const folder = join(dir, 'users')
  mkdirSync(folder, { recursive: true })
  const passwords = keptPasswords(dir)
  const accounts = Object.keys(S3_RIGHTS).map((name) => {
    const secret = passwords[name as keyof typeof passwords]
    return [name, { access: name, secret, role: 'user', userID: 0, groupID: 0, projectID: 0 }] as const
  })
  const file = JSON.stringify({ accessAccounts: Object.fromEntries(accounts) })
  writeFileSync(join(folder, 'users.json'), file, { mode: 0o600 })
  return ['--cert', files.cert, '--key', files.key, '--iam-dir', folder]
}

/** For an https endpoint with an authority of its own. */
export function trusting(ca: string | undefined): { requestHandler?: { httpsAgent: Agent } } {
  return ca === undefined ? {} : { requestHandler: { httpsAgent: new Agent({ ca }) } }
}

export async function grantS3Rights(client: S3Client, bucket: string): Promise<void> {
  const Policy = JSON.stringify(bucketPolicy(bucket, (principal) => principal))
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
}
