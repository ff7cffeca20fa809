import type { LookupFunction } from 'node:net'
import { inspectImage } from '@turnpike/contracts'
import { buildConnector, Client } from 'undici'
import type { ImagePart } from '../text/text-request.ts'
import { type ImageAddress, readImageUrl } from './read-image-url.ts'

export const IMAGE_FAILURES = [
  'url_refused',
  'name_unknown',
  'address_refused',
  'no_connection',
  'refused_by_server',
  'too_large',
  'too_slow',
  'not_an_image',
] as const
/** For logs: a closed set that holds nothing of the URL. */
export type ImageFailure = (typeof IMAGE_FAILURES)[number]
export type FetchedImage = { ok: true; image: ImagePart; bytes: number } | { ok: false; why: ImageFailure }

export type ImageLimits = {
  maxImageBytes: number
  /** For one image: name, connection and body together. */
  imageTimeoutMs: number
}

/** Of a name with many addresses. */
const MAX_CONNECTION_TRIES = 4

/** What stands between a stranger's URL and the network. Only tests give other ones than `openImageFetcher` does. */
export type ImageGuard = {
  resolve(hostname: string, signal: AbortSignal): Promise<string[]>
  isAllowed(address: string): boolean
  /** 443, and in a test the port of its own server. */
  port: number
  /** Further certificate authorities, for the server of a test. */
  ca?: string
}

/**
 * One image by https. The name is resolved once, every address of it must be allowed, and the connection goes to those addresses and no
 * other, under the name that the certificate must have. No redirects, no compression, no credentials. Never rejects.
 */
export async function fetchImage(
  deps: { guard: ImageGuard; limits: ImageLimits },
  url: string,
  signal: AbortSignal,
): Promise<FetchedImage> {
  const address = readImageUrl(url)
  if (address === undefined) return failed('url_refused')
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(deps.limits.imageTimeoutMs)])
  try {
    const addresses = address.isLiteral ? [address.hostname] : await deps.guard.resolve(address.hostname, inTime)
    if (inTime.aborted) return failed('too_slow')
    if (addresses.length === 0) return failed('name_unknown')
    // One that is not allowed among others is a trap: the whole name is refused.
    if (!addresses.every((candidate) => deps.guard.isAllowed(candidate))) return failed('address_refused')
    return await download(deps, address, addresses, inTime)
  } catch {
    return failed(inTime.aborted ? 'too_slow' : 'no_connection')
  }
}

async function download(
  { guard, limits }: { guard: ImageGuard; limits: ImageLimits },
  address: ImageAddress,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<FetchedImage> {
  const client = new Client(originOf(address), {
    connect: pinnedConnector(guard, addresses, limits),
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.imageTimeoutMs,
    bodyTimeout: limits.imageTimeoutMs,
  })
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: address.path,
      headers: { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'turnpike-images/1' },
      signal,
    })
    // Its failure is the failure of the request; without a listener it would be the end of the process.
    body.on('error', () => {})
    // A redirect is a second URL that nobody checked.
    if (statusCode !== 200) return failed('refused_by_server')
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
      return failed('refused_by_server')
    if (Number(headers['content-length'] ?? 0) > limits.maxImageBytes) return failed('too_large')
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limits.maxImageBytes) return failed('too_large')
      chunks.push(chunk)
    }
    return readImage(Buffer.concat(chunks, bytes))
  } finally {
    client.destroy(null).catch(() => {})
  }
}

function readImage(content: Buffer): FetchedImage {
  const inspected = inspectImage(content)
  if (!inspected.ok) return failed('not_an_image')
  const image: ImagePart = { type: 'image', mimeType: inspected.mimeType, base64: content.toString('base64') }
  return { ok: true, image, bytes: content.length }
}

function originOf({ hostname }: ImageAddress): string {
  return `https://${hostname.includes(':') ? `[${hostname}]` : hostname}`
}

/** Connects to the checked addresses, whatever the name would resolve to by now. */
function pinnedConnector(guard: ImageGuard, addresses: readonly string[], limits: ImageLimits): buildConnector.connector {
  const pinned = addresses.slice(0, MAX_CONNECTION_TRIES).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const [first] = pinned
    if (options.all === true || first === undefined) callback(null, pinned)
    else callback(null, first.address, first.family)
  }
  const connect = buildConnector({
    lookup,
    timeout: limits.imageTimeoutMs,
    allowH2: false,
    ...(guard.ca === undefined ? {} : { ca: guard.ca }),
  })
  return (options, callback) => connect({ ...options, port: String(guard.port) }, callback)
}

function failed(why: ImageFailure): { ok: false; why: ImageFailure } {
  return { ok: false, why }
}
