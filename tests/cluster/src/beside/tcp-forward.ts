import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type Forward = { port: number; close(): Promise<void> }

/**
 * Takes connections on an address and hands each to a port of 127.0.0.1: the same one, so that pods reach what listens there, or the one
 * that `next` names then, as a Service picks among pods. Without one it hangs up.
 */
export async function forwardTcp(host: string, port: number, next: () => number | undefined = () => port): Promise<Forward> {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const to = next()
    if (to === undefined) return void client.destroy()
    const target = connect({ host: '127.0.0.1', port: to })
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.pipe(target)
    target.pipe(client)
  })
  server.listen({ host, port, backlog: 1_024 })
  await once(server, 'listening')
  return {
    port,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
