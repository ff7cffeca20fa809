import type { Keyring } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import type { SendDeps } from '../http/send-answer.ts'
import type { GatewayMetrics } from '../metrics.ts'

export type MediaDeps = SendDeps & {
  mediaCapabilityKeys: Keyring
  contentKeys: Keyring
  /** With connections of its own: slow downloads must not keep paid requests from the store. */
  mediaStore: Pick<ObjectStore, 'read'>
  /** As last probed: while it is known to be away nobody waits for it. */
  mediaStoreIsUp(): boolean
  /** Sends clients to the store itself for what lies there in plain; as clients reach it. */
  mediaRedirects: Pick<ObjectStore, 'presign'> | undefined
  maxMediaDownloads: number
  metrics: GatewayMetrics
  logger: Logger
  now(): number
}
