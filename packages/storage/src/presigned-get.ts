import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

export type PresignedGet = {
  key: string
  method: 'GET' | 'HEAD'
  /** Signed at this moment for so long. Stores count whole seconds from the second in which it was signed. */
  nowMs: number
  expiresInS: number
  /** What the store is to say of the object. */
  contentType: string
  contentDisposition: string
  cacheControl: string
}

/** The signature is made here: the store is not asked. */
export function presignedGet(client: S3Client, bucket: string, request: PresignedGet): Promise<string> {
  const { key, method, nowMs, expiresInS, contentType, contentDisposition, cacheControl } = request
  const input = {
    Bucket: bucket,
    Key: key,
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
    ResponseCacheControl: cacheControl,
  }
  const command = method === 'GET' ? new GetObjectCommand(input) : new HeadObjectCommand(input)
  return getSignedUrl(client, command as GetObjectCommand, { expiresIn: expiresInS, signingDate: new Date(nowMs) })
}
