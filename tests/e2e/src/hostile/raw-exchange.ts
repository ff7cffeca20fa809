import { createConnection } from 'node:net'

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

const PATIENCE_MS = 15_000

/**
 * Writes these bytes to a connection of its own and reads the first answer to them, whatever a decent client would refuse to send.
 * `hangsUp` says goodbye after the last byte, so that nobody waits for what never comes. `closed` when the connection ends without one; `silent` when nothing happens for a long time.
 */
export function rawExchange(
  url: URL,
  request: Buffer,
  { hangsUp }: { hangsUp: boolean },
): Promise<RawAnswer | 'closed' | 'silent'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = createConnection({ host: url.hostname, port: Number(url.port) })
    const end = (result: RawAnswer | 'closed' | 'silent') => {
      clearTimeout(timer)
      resolve(result)
      socket.destroy()
    }
    const timer = setTimeout(() => end('silent'), PATIENCE_MS)
    socket.on('connect', () => (hangsUp ? socket.end(request) : socket.write(request)))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const answer = wholeAnswer(Buffer.concat(chunks))
      if (answer !== undefined) end(answer)
    })
    // A server that answers before it has read everything may close under our writing; what it said counts.
    socket.on('error', () => end('closed'))
    socket.on('close', () => end('closed'))
  })
}

/** Undefined while its head or a part of its body is missing. Interim answers (100 Continue) are passed over. */
function wholeAnswer(bytes: Buffer): RawAnswer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status < 200) return wholeAnswer(rest)
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  return rest.length < length ? undefined : { status, headers, body: rest.subarray(0, length).toString('utf8') }
}
