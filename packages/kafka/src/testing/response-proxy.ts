import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { KafkaConnection } from '../connection.ts'

export type ResponseFault = 'pass' | 'swallow' | 'cut'

export type ResponseProxy = {
  socketFactory: NonNullable<KafkaConnection['socketFactory']>
  /** Of that kind, so far. */
  responses(): number
  close(): Promise<void>
}

const API_KEYS = { produce: 0, metadata: 3 }

/** Stands between a client and its broker, and decides over every response of one kind. Requests always arrive. */
export async function startResponseProxy(
  kind: keyof typeof API_KEYS,
  decide: (response: number) => ResponseFault,
): Promise<ResponseProxy> {
  const sockets = new Set<Socket>()
  let responses = 0
  let brokerPort = 0

  const server = createServer((client) => {
    const broker = connect({ host: '127.0.0.1', port: brokerPort })
    const requests = new Set<number>()
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        broker.destroy()
      })
    }
    forEachFrame(client, (frame) => {
      if (frame.readInt16BE(4) === API_KEYS[kind]) requests.add(frame.readInt32BE(8))
      broker.write(frame)
    })
    forEachFrame(broker, (frame) => {
      const fault = requests.delete(frame.readInt32BE(4)) ? decide(responses++) : 'pass'
      if (fault === 'pass') client.write(frame)
      if (fault === 'cut') client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    socketFactory({ port: advertisedPort, onConnect }) {
      brokerPort = advertisedPort
      return connect({ host: '127.0.0.1', port }, onConnect)
    },
    responses: () => responses,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A frame is four bytes of length and that many more. */
function forEachFrame(socket: Socket, take: (frame: Buffer) => void): void {
  let buffered = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    while (buffered.length >= 4 && buffered.length >= 4 + buffered.readInt32BE(0)) {
      const end = 4 + buffered.readInt32BE(0)
      take(buffered.subarray(0, end))
      buffered = buffered.subarray(end)
    }
  })
}
