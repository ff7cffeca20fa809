import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { type ObjectStream, openObjectStream } from './object-stream.ts'
import { type PresignedGet, presignedGet } from './presigned-get.ts'
import { CONNECT_TIMEOUT_MS, openS3Client, REQUEST_TIMEOUT_MS } from './s3-client.ts'
import { storeFault } from './store-fault.ts'

export type ObjectStoreConfig = {
  endpoint?: string | undefined
  region: string
  bucket: string
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  forcePathStyle: boolean
  /** PEM of the only authority that is trusted for an https endpoint; the public ones when undefined. */
  tlsCa?: string | undefined
  /** Told once, in a sentence, when a probe finds the configuration at fault: waiting will not mend it. */
  onRefused?: ((sentence: string) => void) | undefined
  /** How long the store may take to answer, and how long to hand over an object. */
  requestTimeoutMs?: number | undefined
  /** How long the store may be silent within an object that is read as a stream, while its reader waits. */
  idleTimeoutMs?: number | undefined
  /** Connections at once; whoever needs one more waits. */
  maxConnections?: number | undefined
}

/** The object is larger than its reader takes: nothing of it is kept. */
export class ObjectTooLarge extends Error {
  override name = 'ObjectTooLarge'
}

/** The object is not there (never was, or was deleted). Any other failure is thrown as the SDK throws it. */
export class ObjectMissing extends Error {
  override name = 'ObjectMissing'
}

export type ObjectPage = { objects: { key: string; modifiedAt: Date }[]; next: string | undefined }

export type ObjectStore = {
  put(key: string, bytes: Uint8Array, options?: { contentType?: string }): Promise<void>
  /** Reads at most maxBytes; throws ObjectTooLarge when the object is larger, ObjectMissing when it is not there. */
  get(key: string, options: { maxBytes: number }): Promise<Buffer>
  /** Opens an object, or its bytes from `first` to `last` (both inclusive, no further than its end). Throws as `get` does. */
  read(key: string, options?: { range?: { first: number; last: number }; signal?: AbortSignal }): Promise<ObjectStream>
  /** An address that the store itself serves, to whoever has it. Asks nobody whether the object is there. */
  presign(request: PresignedGet): Promise<string>
  /** Deleting what is not there succeeds. */
  delete(key: string): Promise<void>
  /** Objects whose keys begin so, in the order of their keys; `next` asks for the page after this one. */
  list(prefix: string, page: { limit: number; next?: string | undefined }): Promise<ObjectPage>
  /** Whether the bucket answers now. */
  probe(): Promise<boolean>
  /** For installations that let the service make its bucket; existing is fine. */
  ensureBucket(): Promise<void>
  close(): void
}

export function openObjectStore(config: ObjectStoreConfig): ObjectStore {
  const timeoutMs = config.requestTimeoutMs ?? REQUEST_TIMEOUT_MS
  const client = openS3Client(config)
  const { bucket } = config
  let told: string | undefined

  return {
    async put(key, bytes, options = {}) {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: bytes,
          ContentType: options.contentType ?? 'application/octet-stream',
        }),
      )
    },
    async get(key, { maxBytes }) {
      try {
        const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        if (!(object.Body instanceof Readable)) throw new Error('the store answered without a body')
        return await readBounded(object.Body, { maxBytes, timeoutMs })
      } catch (error) {
        if (error instanceof NoSuchKey) throw new ObjectMissing('object is not there')
        throw error
      }
    },
    async read(key, { range, signal } = {}) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ...(range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` }),
      })
      try {
        const object = await client.send(command, signal === undefined ? {} : { abortSignal: signal })
        if (!(object.Body instanceof Readable)) throw new Error('the store answered without a body')
        const bytes = object.ContentLength ?? Number.NaN
        const totalBytes = range === undefined ? bytes : Number(/\/(\d+)$/.exec(object.ContentRange ?? '')?.[1])
        if (!Number.isSafeInteger(bytes) || !Number.isSafeInteger(totalBytes)) {
          object.Body.destroy()
          throw new Error('the store answered without a length')
        }
        return openObjectStream(object.Body, { bytes, totalBytes }, config.idleTimeoutMs ?? REQUEST_TIMEOUT_MS)
      } catch (error) {
        if (error instanceof NoSuchKey) throw new ObjectMissing('object is not there')
        throw error
      }
    },
    presign: (request) => presignedGet(client, bucket, request),
    async delete(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    },
    async list(prefix, { limit, next }) {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: limit, ContinuationToken: next }),
      )
      const objects = (page.Contents ?? []).flatMap(({ Key, LastModified }) =>
        Key === undefined || LastModified === undefined ? [] : [{ key: Key, modifiedAt: LastModified }],
      )
      return { objects, next: page.NextContinuationToken }
    },
    async probe() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
        told = undefined
        return true
      } catch (error) {
        const sentence = storeFault(error)
        if (sentence !== undefined && sentence !== told) config.onRefused?.(sentence)
        told = sentence ?? told
        return false
      }
    },
    async ensureBucket() {
      try {
        await client.send(new CreateBucketCommand({ Bucket: bucket }))
      } catch (error) {
        if (!(error instanceof Error) || !/BucketAlready/.test(error.name)) throw error
      }
    },
    close: () => client.destroy(),
  }
}

/** A stream that is given up is destroyed: one left half read would hold its connection for ever. */
async function readBounded(body: Readable, limits: { maxBytes: number; timeoutMs: number }): Promise<Buffer> {
  const late = setTimeout(() => body.destroy(new Error('object did not arrive in time')), limits.timeoutMs)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += (chunk as Buffer).length
      if (length > limits.maxBytes) throw new ObjectTooLarge(`object is larger than ${limits.maxBytes} bytes`)
      chunks.push(chunk as Buffer)
    }
  } finally {
    clearTimeout(late)
    body.destroy()
  }
  return Buffer.concat(chunks, length)
}
