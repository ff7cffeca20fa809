import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorCode } from '@turnpike/contracts'
import { readMediaCapability, SealBroken } from '@turnpike/sealing'
import { type MediaObject, mediaObjectOf, ObjectMissing } from '@turnpike/storage'
import type { Call, Handler } from '../http/call.ts'
import { header } from '../http/header.ts'
import { type Place, sendProblem } from '../http/send-answer.ts'
import { hasItAlready } from './conditions.ts'
import type { MediaDeps } from './media-deps.ts'
import { etagOf, fileHeaders, MEDIA_HEADERS } from './media-headers.ts'
import { redirectToStore } from './redirect-to-store.ts'
import { sendFile } from './send-file.ts'

/**
 * GET and HEAD of a hosted file. What is not a capability of ours to the last bit is 404, whatever it says; one that is says 410 after its
 * expiry, for ever, and neither needs a look at the store. The capability stays here: no answer, log line or label repeats it.
 */
export function mediaRoute(deps: MediaDeps): Handler {
  const downloads = { running: 0 }
  deps.metrics.mediaDownloadsRunning.readBy((gauge) => gauge.set({}, downloads.running))

  return async (request, response, call) => {
    const place: Place = { requestId: call.requestId, path: '/v1/media' }
    const refuse = (code: ErrorCode) => sendProblem(deps, response, place, { code }, MEDIA_HEADERS)
    const object = objectOf(deps, call)
    if (object === undefined) return refuse('media_not_found')
    const nowMs = deps.now()
    if (nowMs >= object.expiresAtMs) return refuse('media_expired')
    if (hasItAlready(header(request, 'if-none-match'), etagOf(object))) {
      // What a 304 repeats of the answer that it stands for, without what describes a body.
      const { 'content-type': _type, 'content-disposition': _name, ...headers } = fileHeaders(object, nowMs)
      response.writeHead(304, { 'X-Request-ID': call.requestId, ...headers })
      return void response.end()
    }
    if (await redirectToStore(deps, { request, response, place, object })) return
    if (!deps.mediaStoreIsUp()) return refuse('dependency_unavailable')
    if (downloads.running >= deps.maxMediaDownloads) return refuse('overloaded')
    downloads.running += 1
    try {
      await sendFile(deps, { request, response, place, object })
    } catch (error) {
      const code = refusalOf(deps, place, error)
      // Half a file must not look like a whole one.
      if (response.headersSent || code === undefined) response.destroy()
      else refuse(code)
    } finally {
      downloads.running -= 1
    }
  }
}

function objectOf(deps: MediaDeps, { path }: Call): MediaObject | undefined {
  const capability = readMediaCapability(deps.mediaCapabilityKeys, path.slice(path.lastIndexOf('/') + 1))
  return capability === undefined ? undefined : mediaObjectOf(capability)
}

export type MediaExchange = { request: IncomingMessage; response: ServerResponse; place: Place; object: MediaObject }

function refusalOf({ logger }: MediaDeps, { requestId }: Place, error: unknown): ErrorCode | undefined {
  if (error instanceof ObjectMissing) {
    logger.error({ requestId }, 'a hosted file is gone before its expiry')
    return 'media_not_found'
  }
  if (error instanceof SealBroken) {
    logger.error({ error, requestId }, 'a hosted file was altered where it lies')
    return 'internal_error'
  }
  logger.warn({ error, requestId }, 'a hosted file could not be read')
  return 'dependency_unavailable'
}
