import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free loopback port, tells the parent where, and ends with it. */
export async function serveUntilDisconnected(server: Server): Promise<void> {
  server.keepAliveTimeout = 65_000
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
  await once(server, 'listening')
  endWithParent()
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

export function endWithParent(): void {
  process.once('disconnect', () => process.exit(0))
  process.once('SIGTERM', () => process.exit(0))
}
