import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import selfsigned from 'selfsigned'

export const IMAGE_HOST = 'images.example'

export type ImageServer = {
  port: number
  /** The certificate that signs itself, for IMAGE_HOST. */
  ca: string
  connections(): number
  close(): Promise<void>
}

/** An https server on loopback whose certificate is for IMAGE_HOST. */
export async function startImageServer(listener: RequestListener): Promise<ImageServer> {
  const { private: key, cert } = await selfsigned.generate([{ name: 'commonName', value: IMAGE_HOST }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: IMAGE_HOST }] },
    ],
  })
  const server = createServer({ key, cert }, listener)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    ca: cert,
    connections: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A PNG of one colour; `sizePx` may be a lie that only its header tells. */
export function pngImage(sizePx = 2, paddingBytes = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(sizePx, 0)
  header.writeUInt32BE(sizePx, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(14)))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    pixels,
    chunk('tEXt', Buffer.alloc(paddingBytes)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
