import { createConnection } from 'node:net'

/** FLUSHALL over a plain connection: the whole protocol that it takes. */
export function flushRedis(url: string): Promise<void> {
  const { hostname, port, password } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port || 6379), hostname)
    let received = ''
    const expected = password === '' ? '+OK\r\n' : '+OK\r\n+OK\r\n'
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis did not answer FLUSHALL')))
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      if (password !== '') socket.write(`AUTH ${decodeURIComponent(password)}\r\n`)
      socket.write('FLUSHALL\r\n')
    })
    socket.on('data', (chunk: string) => {
      received += chunk
      if (received === expected) socket.end()
      else if (!expected.startsWith(received)) socket.destroy(new Error(`Redis answered ${received.trim()}`))
    })
    socket.on('error', reject)
    socket.on('close', () => (received === expected ? resolve() : reject(new Error('Redis closed the connection'))))
  })
}
