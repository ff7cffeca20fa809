import { mediaKeyOf } from '@turnpike/storage'
import type { MediaDeps } from './media-deps.ts'
import { cacheControlOf, dispositionOf, MEDIA_HEADERS } from './media-headers.ts'
import type { MediaExchange } from './media-route.ts'

// Long enough for a player that seeks; whoever comes later asks the capability again.
const MAX_LIFETIME_S = 3_600

/**
 * Where the operator wants it and the file lies in plain, sends the client to the store (or the CDN before it). The address that it gets
 * dies with the capability at the latest. False when the gateway has to send the file itself.
 */
export async function redirectToStore(deps: MediaDeps, { request, response, place, object }: MediaExchange): Promise<boolean> {
  const store = deps.mediaRedirects
  if (store === undefined || object.atRest !== 'plain') return false
  const nowMs = deps.now()
  // Stores count from the whole second in which the address was signed, so this is never too long.
  const expiresInS = Math.min(MAX_LIFETIME_S, Math.floor((object.expiresAtMs - nowMs) / 1000))
  if (expiresInS < 1) return false
  const location = await store.presign({
    key: mediaKeyOf(object),
    method: request.method === 'HEAD' ? 'HEAD' : 'GET',
    nowMs,
    expiresInS,
    contentType: object.contentType,
    contentDisposition: dispositionOf(object),
    cacheControl: cacheControlOf(object, nowMs),
  })
  response.writeHead(302, {
    'X-Request-ID': place.requestId,
    ...MEDIA_HEADERS,
    location,
    'cache-control': 'private, no-store',
    'content-length': 0,
  })
  response.end()
  return true
}
