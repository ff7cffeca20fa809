import type { IncomingMessage } from 'node:http'
import { arrivedBody, type BodyLimits, type BodyRead } from './read-body.ts'

/** What a client must keep up, counted from when it is read: it holds room that others wait for. */
export const PACE = { graceMs: 10_000, minBytesPerSecond: 64 * 1_024, maxIdleMs: 10_000, checkEveryMs: 1_000 } as const

type LargeBody = BodyLimits & {
  expectedBytes: number
  /** What was read before the body was known to be large. */
  begun: readonly Buffer[]
}

/** Waits for room, the client's own and everybody's, and only then reads: until then the bytes stay in the network. */
export async function readLargeBody(request: IncomingMessage, body: LargeBody): Promise<BodyRead> {
  const gone = new AbortController()
  const onClose = () => gone.abort()
  request.once('close', onClose)
  request.once('error', onClose)
  if (request.destroyed) gone.abort()
  const reservation = await body.room.large.reserve(body.client, body.expectedBytes, gone.signal)
  request.off('close', onClose)
  switch (reservation.kind) {
    case 'gone':
      return { kind: 'aborted' }
    case 'full':
      return { kind: 'no_room', retryAfterS: reservation.retryAfterS }
    case 'client_full':
      return { kind: 'client_full', retryAfterS: reservation.retryAfterS }
    case 'reserved': {
      const read = await fill(request, body, reservation.release)
      if (read.kind !== 'body') reservation.release()
      return read
    }
  }
}

/** One block of the expected size, filled as the body arrives: collecting and joining the pieces would take the memory twice. */
function fill(request: IncomingMessage, { expectedBytes, maxBytes, begun }: LargeBody, release: () => void): Promise<BodyRead> {
  return new Promise((resolve) => {
    const block = Buffer.allocUnsafeSlow(expectedBytes)
    let length = 0
    for (const chunk of begun) length += chunk.copy(block, length)
    const atStart = length
    const startedAtMs = performance.now()
    let lastByteAtMs = startedAtMs
    const settle = (result: BodyRead) => {
      clearInterval(pace)
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onAbort)
      request.off('error', onAbort)
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      if (length + chunk.length > Math.min(expectedBytes, maxBytes)) return settle({ kind: 'too_large' })
      length += chunk.copy(block, length)
      lastByteAtMs = performance.now()
    }
    const onEnd = () => settle(arrivedBody(block.subarray(0, length), release))
    const onAbort = () => settle({ kind: 'aborted' })
    const pace = setInterval(() => {
      const now = performance.now()
      const dueBytes = ((now - startedAtMs - PACE.graceMs) / 1_000) * PACE.minBytesPerSecond
      if (now - lastByteAtMs > PACE.maxIdleMs || length - atStart < dueBytes) settle({ kind: 'too_slow' })
    }, PACE.checkEveryMs)
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onAbort)
    request.on('error', onAbort)
    request.resume()
  })
}
