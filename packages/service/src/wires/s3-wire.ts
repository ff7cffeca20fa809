import { type Config, flag, optional, secret, text, url } from '../config.ts'
import { certificates } from './pem.ts'

/** How a service reaches the object store; spread into its own table. */
export const S3_VARIABLES = {
  /** AWS's own for the region when unset. */
  s3Endpoint: optional(url('S3_ENDPOINT', { protocols: ['http:', 'https:'] })),
  s3Region: text('S3_REGION', { default: 'us-east-1' }),
  s3Bucket: text('S3_BUCKET'),
  /** Unset, both come from the SDK's own chain (instance or pod roles). */
  s3AccessKeyId: optional(secret('S3_ACCESS_KEY_ID')),
  s3SecretAccessKey: optional(secret('S3_SECRET_ACCESS_KEY')),
  s3ForcePathStyle: flag('S3_FORCE_PATH_STYLE', { default: false }),
  /** The only authority that is trusted for the store; the public ones when unset. */
  s3TlsCa: optional(certificates('S3_TLS_CA')),
}

export type S3Wire = {
  endpoint: string | undefined
  region: string
  bucket: string
  accessKeyId: string | undefined
  secretAccessKey: string | undefined
  forcePathStyle: boolean
  tlsCa: string | undefined
}

export function s3Wire(config: Config<typeof S3_VARIABLES>): S3Wire {
  return {
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    bucket: config.s3Bucket,
    accessKeyId: config.s3AccessKeyId,
    secretAccessKey: config.s3SecretAccessKey,
    forcePathStyle: config.s3ForcePathStyle,
    tlsCa: config.s3TlsCa,
  }
}
