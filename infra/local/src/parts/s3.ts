import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { obtainVersitygw } from '../software/versitygw.ts'
import { type GuardedAccess, keptPasswords } from '../wire/accounts.ts'
import { grantS3Rights, guardedS3Arguments, trusting } from '../wire/guarded-s3.ts'
import { isOk } from '../wire/is-ok.ts'
import { setLifecycle } from './bucket-lifecycle.ts'
import type { Part, Site } from './part.ts'
import { keptSecret } from './secret-file.ts'

export interface S3Address {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** PEM of the authority of one of yours, where it is not a public one. */
  readonly tlsCa?: string
  readonly guarded?: GuardedAccess
}

const bucket = 'turnpike'
const region = 'us-east-1'

export const s3: Part<string, S3Address> = {
  name: 's3',
  needsSidePort: false,
  readyTimeoutMs: 15_000,
  obtain: obtainVersitygw,
  prepare: async (_program, site) => {
    await mkdir(objectsFolder(site), { recursive: true })
  },
  command: (program, site) => {
    const { accessKeyId, secretAccessKey } = credentials(site)
    return {
      program,
      args: [
        ...['--port', `127.0.0.1:${site.port}`, '--region', region, '--health', '/healthz'],
        ...(site.guard === undefined ? [] : guardedS3Arguments(site.dir, site.guard)),
        ...['posix', objectsFolder(site)],
      ],
      env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
      stopSignal: 'SIGTERM',
    }
  },
  answers: async (site) => {
    return await isOk(`${endpointOf(site)}/healthz`, site.guard?.ca)
  },
  fill: (site, say) => makeBucket(addressOf(site), say),
  address: addressOf,
}

export async function makeBucket(address: S3Address, say: (line: string) => void): Promise<void> {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey, tlsCa, guarded } = address
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials, ...trusting(tlsCa ?? guarded?.ca) })
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket })).catch(async () => {
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
    })
    if (guarded !== undefined) await grantS3Rights(client, bucket)
    if (!(await setLifecycle(client, bucket))) say('has no lifecycle rules; the ledger sweeps it')
  } finally {
    client.destroy()
  }
}

function addressOf(site: Site): S3Address {
  const guarded = site.guard === undefined ? {} : { guarded: { ca: site.guard.ca, passwords: keptPasswords(site.dir) } }
  return { endpoint: endpointOf(site), region, bucket, ...credentials(site), ...guarded }
}

function endpointOf(site: Site): string {
  return `${site.guard === undefined ? 'http' : 'https'}://127.0.0.1:${site.port}`
}

function objectsFolder(site: Site): string {
  return join(site.dir, 'objects')
}

function credentials(site: Site): { accessKeyId: string; secretAccessKey: string } {
  return keptSecret(join(site.dir, 'credentials.json'), () => ({
    accessKeyId: `local${randomBytes(8).toString('hex')}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  }))
}
