import { connect, type Socket } from 'node:net'

export type HttpAnswer = { status: number; head: string; body: Buffer }

export type KeepAliveConnection = {
  /** One request at a time. Rejects when the connection ends, or when the answer cannot be read; the next request opens a new one. */
  exchange(request: Uint8Array): Promise<HttpAnswer>
  close(): void
}

/** Rejections carry what happened as `code`. */
class ConnectionFailed extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type Waiting = { sentAt: number; resolve(answer: HttpAnswer): void; reject(error: ConnectionFailed): void }

const LOOK_EVERY_MS = 1_000
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const STATUS_AT = 'HTTP/1.1 '.length

/**
 * HTTP/1.1 over one kept-alive socket, with as little work per request as will do: the client shares its core with the processes
 * that the servers lean on. It reads what both servers send, which is answers with a Content-Length, and refuses everything else.
 */
export function openConnection({
  host,
  port,
  timeoutMs,
}: {
  host: string
  port: number
  timeoutMs: number
}): KeepAliveConnection {
  let socket: Socket | undefined
  let waiting: Waiting | undefined
  let received: Buffer | undefined

  const timer = setInterval(() => {
    if (waiting !== undefined && performance.now() - waiting.sentAt > timeoutMs) end('timeout')
  }, LOOK_EVERY_MS)

  function open(): Socket {
    const opened = connect({ host, port, noDelay: true })
    const ends = (code: string) => {
      if (opened === socket) end(code)
    }
    opened.on('data', (chunk) => {
      if (opened === socket) read(chunk)
    })
    opened.on('error', (error: NodeJS.ErrnoException) => ends(error.code ?? 'failed'))
    opened.on('close', () => ends('closed'))
    return opened
  }

  function end(code: string): void {
    const rejected = waiting
    socket?.destroy()
    socket = undefined
    waiting = undefined
    received = undefined
    rejected?.reject(new ConnectionFailed(code))
  }

  function read(chunk: Buffer): void {
    received = received === undefined ? chunk : Buffer.concat([received, chunk])
    const endOfHead = received.indexOf(END_OF_HEAD)
    if (endOfHead === -1) return
    const head = received.toString('latin1', 0, endOfHead)
    const length = headerIn(head, 'content-length')
    if (waiting === undefined || length === undefined) return end('unreadable')
    const startOfBody = endOfHead + END_OF_HEAD.length
    const missing = startOfBody + Number(length) - received.length
    if (missing > 0) return
    if (missing < 0) return end('unreadable')
    const { resolve } = waiting
    const body = received.subarray(startOfBody)
    waiting = undefined
    received = undefined
    resolve({ status: Number(head.slice(STATUS_AT, STATUS_AT + 3)), head, body })
    if (headerIn(head, 'connection') === 'close') end('closed')
  }

  return {
    exchange(request) {
      return new Promise((resolve, reject) => {
        waiting = { sentAt: performance.now(), resolve, reject }
        socket ??= open()
        socket.write(request)
      })
    },
    close() {
      clearInterval(timer)
      end('closed')
    },
  }
}

const patterns = new Map<string, RegExp>()

/** The value of a header in the head of an answer. */
export function headerIn(head: string, name: string): string | undefined {
  const pattern = patterns.get(name) ?? new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i')
  patterns.set(name, pattern)
  return pattern.exec(head)?.[1]
}
