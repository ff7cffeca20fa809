import { S3ServiceException } from '@aws-sdk/client-s3'
import { wireFault } from '@turnpike/service'

const FORBIDDEN = 403

/** A sentence where the configuration of the store is at fault; undefined for a store that is away. */
export function storeFault(error: unknown): string | undefined {
  return wireFault(error, {
    what: 'the object store',
    ca: 'S3_TLS_CA',
    credentials: 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY for S3_BUCKET',
    isRefusal: (each) => each instanceof S3ServiceException && each.$metadata.httpStatusCode === FORBIDDEN,
  })
}
