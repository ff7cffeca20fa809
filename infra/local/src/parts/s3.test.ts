import { GetObjectCommand, HeadBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import type { S3Address } from './s3.ts'
import { startPart } from './start-part.ts'

function connect({ endpoint, region, accessKeyId, secretAccessKey }: S3Address): S3Client {
  return new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
}

describe('s3', () => {
  it('keeps the objects that it acknowledged through a kill', async () => {
    using folder = scratchFolder()
    const first = await startPart('s3', { dir: folder.path })
    const Bucket = first.bucket
    for (let number = 0; number < 20; number++) {
      await connect(first).send(new PutObjectCommand({ Bucket, Key: `folder/${number}`, Body: `object ${number}` }))
    }
    await first.kill()
    const second = await startPart('s3', { dir: folder.path, port: first.port })
    expect(second).toMatchObject({
      endpoint: first.endpoint,
      accessKeyId: first.accessKeyId,
      secretAccessKey: first.secretAccessKey,
    })
    for (let number = 0; number < 20; number++) {
      const object = await connect(second).send(new GetObjectCommand({ Bucket, Key: `folder/${number}` }))
      expect(await object.Body?.transformToString()).toBe(`object ${number}`)
    }
    await second.stop()
  })

  it('lets nobody in with another key', async () => {
    using folder = scratchFolder()
    const part = await startPart('s3', { dir: folder.path })
    const stranger = connect({ ...part, secretAccessKey: 'guess' })
    await expect(stranger.send(new HeadBucketCommand({ Bucket: part.bucket }))).rejects.toHaveProperty(
      '$metadata.httpStatusCode',
      403,
    )
    await part.stop()
  })
})
