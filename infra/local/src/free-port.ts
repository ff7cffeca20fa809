import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Finds out by binding, on the loopback address that the stack's parts bind to. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * A free port below the range that the system takes outgoing ports from. A port of that range is lent to any connection while its part is
 * stopped, even to a client that tries to reach the stopped part: it then connects to itself, and the part finds its port taken.
 */
export async function freePort(taken: ReadonlySet<number> = new Set()): Promise<number> {
  const lowest = 10_240
  const beyond = Math.max(lowest + 1_000, firstOutgoingPort())
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(lowest, beyond)
    if (!taken.has(port) && (await isPortFree(port))) return port
  }
  throw new Error(`No free port between ${lowest} and ${beyond}.`)
}

function firstOutgoingPort(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10) || 32_768
  } catch {
    return 32_768
  }
}
