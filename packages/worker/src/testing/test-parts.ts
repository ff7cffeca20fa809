import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecutionClaims, executionClaims, openRedis } from '@turnpike/admission'
import { startPart } from '@turnpike/local'
import { type ObjectStore, openObjectStore } from '@turnpike/storage'

export type TestParts = {
  redis: ReturnType<typeof openRedis>
  claims: ExecutionClaims
  store: ObjectStore
  /** Where both are, for a worker process. */
  env: Record<string, string>
  close(): Promise<void>
}

/** A real Redis and object store. */
export async function startTestParts(): Promise<TestParts> {
  const closers: (() => unknown)[] = []
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-worker-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  const redisPart = await startPart('redis', { dir: join(dir, 'redis') })
  closers.push(() => redisPart.stop())
  const s3Part = await startPart('s3', { dir: join(dir, 's3') })
  closers.push(() => s3Part.stop())
  const redis = openRedis(redisPart.url, { name: 'test', onError: () => {} })
  closers.push(() => redis.disconnect())
  await once(redis, 'ready')
  const store = openObjectStore({ ...s3Part, forcePathStyle: true })
  closers.push(() => store.close())
  return {
    redis,
    claims: executionClaims(redis),
    store,
    env: {
      REDIS_URL: redisPart.url,
      S3_ENDPOINT: s3Part.endpoint,
      S3_REGION: s3Part.region,
      S3_BUCKET: s3Part.bucket,
      S3_ACCESS_KEY_ID: s3Part.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3Part.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    },
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}
