import { createConnection } from 'node:net'
import type { Stack } from '@turnpike/local'

/** Redis forgets everything, in one command of its own inline protocol. */
export function flushRedis(stack: Stack): Promise<void> {
  const { hostname, port } = new URL(stack.redisUrl)
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port) }, () => socket.write('FLUSHALL\r\n'))
    socket.on('error', reject)
    socket.on('data', (answer) => {
      socket.end()
      if (String(answer).startsWith('+OK')) resolve()
      else reject(new Error(`Redis answered ${String(answer)}`))
    })
  })
}
