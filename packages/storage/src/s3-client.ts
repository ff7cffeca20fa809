import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { ObjectStoreConfig } from './object-store.ts'

export const CONNECT_TIMEOUT_MS = 2_000
export const REQUEST_TIMEOUT_MS = 20_000
const MAX_CONNECTIONS = 50

/** Credentials left out come from the SDK's own chain (instance or pod roles). The SDK retries idempotent calls twice. */
export function openS3Client(config: ObjectStoreConfig): S3Client {
  const agent = { maxSockets: config.maxConnections ?? MAX_CONNECTIONS, keepAlive: true }
  const clientConfig: S3ClientConfig = {
    region: config.region,
    forcePathStyle: config.forcePathStyle,
    maxAttempts: 3,
    // What is stored here carries a digest or a seal of its own. The SDK's check would stand between a reader and its connection, which
    // then outlives a reader that leaves; and presigned addresses would ask for it.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: config.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      // Without throwOnRequestTimeout the SDK writes a warning and goes on waiting.
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: config.tlsCa === undefined ? agent : { ...agent, ca: config.tlsCa },
    },
  }
  if (config.endpoint !== undefined) clientConfig.endpoint = config.endpoint
  if (config.accessKeyId !== undefined && config.secretAccessKey !== undefined) {
    clientConfig.credentials = { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey }
  }
  return new S3Client(clientConfig)
}
