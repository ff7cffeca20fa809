import { type ObjectStore, type ObjectStoreConfig, openObjectStore } from '@turnpike/storage'
import type { GatewayConfig } from '../config.ts'

export type MediaStores = { reading: ObjectStore; redirects: ObjectStore | undefined; close(): void }

// A file that nobody begins to send is an error answer after this, with the SDK's two repeats.
const REQUEST_TIMEOUT_MS = 5_000

/** Connections for hosted files, apart from those that paid requests need. */
export function openMediaStores(
  s3: ObjectStoreConfig,
  config: Pick<GatewayConfig, 'maxMediaDownloads' | 'mediaDelivery' | 'mediaRedirectEndpoint'>,
): MediaStores {
  const reading = openObjectStore({ ...s3, maxConnections: config.maxMediaDownloads, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const endpoint = config.mediaRedirectEndpoint ?? s3.endpoint
  const redirects = config.mediaDelivery === 'redirect' ? openObjectStore({ ...s3, endpoint }) : undefined
  return {
    reading,
    redirects,
    close() {
      reading.close()
      redirects?.close()
    },
  }
}
