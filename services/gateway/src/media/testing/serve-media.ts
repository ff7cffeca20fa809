import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { openKeyring, openTokenKeys } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import { hostMedia, type MediaAtRest, type MediaContentType, type ObjectStore } from '@turnpike/storage'
import { pathOf } from '../../http/call.ts'
import { gatewayMetrics } from '../../metrics.ts'
import type { MediaDeps } from '../media-deps.ts'
import { mediaRoute } from '../media-route.ts'

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const ring = (id: string) => openKeyring(key(id))
export const HOUR_MS = 3_600_000

/** The media route on a server of its own, with a clock that the test sets. */
export async function serveMedia(store: ObjectStore, options: Partial<MediaDeps> = {}) {
  const clock = { nowMs: Date.now() }
  const lines: string[] = []
  const record = (...line: unknown[]) => lines.push(inspect(line, { depth: 10 }))
  const deps: MediaDeps = {
    publicBaseUrl: 'http://turnpike.test',
    payTo: '0x0000000000000000000000000000000000000001',
    receiptTokenKeys: openTokenKeys(key('r1')),
    mediaCapabilityKeys: ring('m1'),
    contentKeys: ring('c1'),
    mediaStore: store,
    mediaStoreIsUp: () => true,
    mediaRedirects: undefined,
    maxMediaDownloads: 500,
    metrics: gatewayMetrics(),
    logger: { debug: record, info: record, warn: record, error: record } as unknown as Logger,
    now: () => clock.nowMs,
    ...options,
  }
  const handler = mediaRoute(deps)
  const server = createServer((request, response) => {
    void handler(request, response, { requestId: randomUUID(), path: pathOf(request.url ?? '/') })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/media/`

  return {
    deps,
    clock,
    baseUrl,
    /** What was logged so far. */
    logged: () => lines.join('\n'),
    async host(bytes: Buffer, file: { contentType?: MediaContentType; atRest?: MediaAtRest } = {}) {
      const { contentType = 'image/png', atRest = 'sealed' } = file
      const { capability, expiresAtMs } = await hostMedia(
        { store, contentKeys: deps.contentKeys, capabilityKeys: deps.mediaCapabilityKeys, atRest, now: () => clock.nowMs },
        { kind: contentType === 'audio/mpeg' ? 'speech' : 'image', bytes, contentType, retentionMs: HOUR_MS },
      )
      return { capability, url: `${baseUrl}${capability}`, expiresAtMs }
    },
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
