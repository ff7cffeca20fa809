import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPart } from '@turnpike/local'
import { type ObjectStore, type ObjectStoreConfig, openObjectStore } from '@turnpike/storage'

export type TestStore = { store: ObjectStore; config: ObjectStoreConfig; stop(): Promise<void>; remove(): Promise<void> }

/** A real S3 server for one test file. */
export async function startTestStore(): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-media-'))
  const part = await startPart('s3', { dir })
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = part
  const config = { endpoint, region, bucket, accessKeyId, secretAccessKey, forcePathStyle: true }
  const store = openObjectStore({ ...config, maxConnections: 200 })
  return {
    store,
    config,
    stop: () => part.stop(),
    async remove() {
      store.close()
      await part.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
