import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Handler } from './call.ts'
import { send } from './send-answer.ts'

type Encoding = 'br' | 'gzip' | 'identity'
type Representation = { bytes: Buffer; etag: string }

/** Below this a compressed answer saves nothing that a packet would notice. */
const MIN_COMPRESSED_BYTES = 1_024
const PREFERENCE: readonly Encoding[] = ['br', 'gzip', 'identity']

/**
 * An answer that stays the same as long as the process lives: with a strong ETag for each encoding, 304 where the client has it, and
 * compressed once.
 */
export function staticAnswer(content: {
  body: string
  contentType: string
  maxAgeS: number
  headers?: Record<string, string>
}): Handler {
  const plain = Buffer.from(content.body)
  const encodings = plain.length < MIN_COMPRESSED_BYTES ? (['identity'] as const) : PREFERENCE
  const made = new Map<Encoding, Representation>()
  const representation = (encoding: Encoding): Representation => {
    const known = made.get(encoding)
    if (known !== undefined) return known
    const bytes = encode(plain, encoding)
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
    const fresh = { bytes, etag: encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"` }
    made.set(encoding, fresh)
    return fresh
  }
  return (request, response, call) => {
    const encoding = encodingFor(request, encodings)
    const { bytes, etag } = representation(encoding)
    const headers = {
      ...content.headers,
      'content-type': content.contentType,
      'cache-control': `public, max-age=${content.maxAgeS}`,
      etag,
      vary: 'Accept-Encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    }
    if (isKnown(request.headers['if-none-match'], etag)) return send(response, call, '', { status: 304, headers })
    send(response, call, bytes, { headers })
  }
}

export function staticJson(value: unknown, maxAgeS: number): Handler {
  return staticAnswer({ body: JSON.stringify(value), contentType: 'application/json; charset=utf-8', maxAgeS })
}

function encode(plain: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(plain, {
        params: { [zlib.BROTLI_PARAM_SIZE_HINT]: plain.length, [zlib.BROTLI_PARAM_QUALITY]: 9 },
      })
    case 'gzip':
      return gzipSync(plain)
    case 'identity':
      return plain
  }
}

function encodingFor(request: IncomingMessage, available: readonly Encoding[]): Encoding {
  if (request.headers['accept-encoding'] === undefined) return 'identity'
  const accepted = new Negotiator(request).encodings([...available])
  // Ours to choose among what the client takes: what is smallest.
  return PREFERENCE.find((encoding) => accepted.includes(encoding)) ?? 'identity'
}

/** If-None-Match compares weakly, and a proxy may have weakened what we gave. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag)
}
