import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Handler } from '../http/call.ts'
import { send } from '../http/send-answer.ts'

export type PageAsset = { path: string; handler: Handler }

const FOREVER_S = 31_536_000
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/**
 * A style or a script under an address that holds its hash. Compressed once, when it is first asked for, in another thread: the viewer
 * has 1.7 MB, and the gateway has payments to look after.
 */
export function pageAsset(file: URL | string, name: string, contentType: string): PageAsset {
  const plain = readFileSync(file)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 12)
  const [base = '', extension = ''] = name.split('.')
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 7, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }
  const br = once(() => compressBrotli(plain, quality))
  const gz = once(() => compressGzip(plain))

  const handler: Handler = async (request, response, call) => {
    const encoding = new Negotiator(request).encodings(['br', 'gzip', 'identity'])[0] ?? 'identity'
    const bytes = encoding === 'br' ? await br() : encoding === 'gzip' ? await gz() : plain
    send(response, call, bytes, {
      headers: {
        'content-type': contentType,
        'cache-control': `public, max-age=${FOREVER_S}, immutable`,
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
        ...(encoding === 'br' || encoding === 'gzip' ? { 'content-encoding': encoding } : {}),
      },
    })
  }
  return { path: `/docs/assets/${base}.${hash}.${extension}`, handler }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
