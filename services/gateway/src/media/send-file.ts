import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type HostedMedia, openHostedMedia } from '@turnpike/storage'
import { header } from '../http/header.ts'
import { sendProblem } from '../http/send-answer.ts'
import { type ByteRange, rangeOf, readsFromStart } from './byte-range.ts'
import { rangeStillHolds } from './conditions.ts'
import type { MediaDeps } from './media-deps.ts'
import { etagOf, fileHeaders, MEDIA_HEADERS } from './media-headers.ts'
import type { MediaExchange } from './media-route.ts'

// A client that takes nothing for so long, or is not done after so long, is cut off: it holds a connection to the store.
const STALL_MS = 60_000
const LONGEST_MS = 15 * 60_000

/**
 * Sends the file or the range of it that was asked for, at the pace of the client. The first bytes are there and authenticated before
 * the first header leaves, so a store that is away or a broken file is an error answer; what breaks later breaks the connection. Throws
 * what opening or reading the file throws.
 */
export async function sendFile(deps: MediaDeps, exchange: MediaExchange): Promise<void> {
  const { request, response, object } = exchange
  const gone = new AbortController()
  const giveUp = () => gone.abort()
  response.once('close', giveUp)
  try {
    const rangeHeader = rangeStillHolds(header(request, 'if-range'), etagOf(object)) ? header(request, 'range') : undefined
    const isHead = request.method === 'HEAD'
    const use = isHead ? 'nothing' : readsFromStart(rangeHeader) ? 'whole' : 'part'
    const media = await openHostedMedia({ store: deps.mediaStore, contentKeys: deps.contentKeys }, object, {
      use,
      signal: gone.signal,
    })
    // A HEAD has no ranges (RFC 9110, section 14.2).
    if (isHead) return sendHead(deps, exchange, media)
    await sendBody(deps, exchange, { media, rangeHeader })
  } catch (error) {
    // Nobody is left to be told.
    if (!gone.signal.aborted) throw error
    deps.metrics.mediaDownloads.count({ end: 'client_gone' })
  } finally {
    response.off('close', giveUp)
  }
}

function sendHead(deps: MediaDeps, { response, place, object }: MediaExchange, media: HostedMedia): void {
  media.close()
  const headers = { ...fileHeaders(object, deps.now()), 'content-length': media.contentBytes }
  response.writeHead(200, { 'X-Request-ID': place.requestId, ...headers })
  response.end()
}

type Body = { media: HostedMedia; rangeHeader: string | undefined }

async function sendBody(
  deps: MediaDeps,
  { response, place, object }: MediaExchange,
  { media, rangeHeader }: Body,
): Promise<void> {
  const answer = rangeOf(rangeHeader, media.contentBytes)
  if (answer.kind === 'unsatisfiable') {
    media.close()
    const headers = { ...MEDIA_HEADERS, 'accept-ranges': 'bytes', 'content-range': `bytes */${media.contentBytes}` }
    return sendProblem(deps, response, place, { code: 'range_not_satisfiable' }, headers)
  }
  const range: ByteRange = answer.kind === 'part' ? answer.range : { first: 0, last: media.contentBytes - 1 }
  const chunks = media.read(range)
  const first = await chunks.next()
  response.writeHead(answer.kind === 'part' ? 206 : 200, {
    'X-Request-ID': place.requestId,
    ...fileHeaders(object, deps.now()),
    'content-length': range.last - range.first + 1,
    ...(answer.kind === 'part' ? { 'content-range': `bytes ${range.first}-${range.last}/${media.contentBytes}` } : {}),
  })
  const late = cutOffWhenSlow(response)
  try {
    await pipeline(joined(first, chunks), response)
    deps.metrics.mediaDownloads.count({ end: 'complete' })
  } finally {
    clearTimeout(late)
  }
}

async function* joined(first: IteratorResult<Buffer, void>, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

function cutOffWhenSlow(response: ServerResponse): NodeJS.Timeout {
  response.setTimeout(STALL_MS, () => response.destroy())
  return setTimeout(() => response.destroy(), LONGEST_MS)
}
