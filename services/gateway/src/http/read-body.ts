import type { IncomingMessage } from 'node:http'
import type { BodyRoom } from './byte-budget.ts'
import { readLargeBody } from './read-body-large.ts'

export type BodyRead =
  | ArrivedBody
  | { kind: 'too_large' }
  | { kind: 'no_room'; retryAfterS?: number }
  | { kind: 'client_full'; retryAfterS: number }
  | { kind: 'too_slow' }
  | { kind: 'aborted' }

/**
 * `take` hands the bytes out, once, and keeps nothing: whoever has them decides how long they stay in memory. Large bytes have a memory
 * block of their own. `giveBack` returns the body's room, as soon as nothing of it is held or the request is over; once is enough.
 */
export type ArrivedBody = { kind: 'body'; take: () => Buffer; giveBack: () => void }

/** From here on a body asks for room before it is read. */
export const LARGE_BODY_BYTES = 1_048_576

export type BodyLimits = { maxBytes: number; client: string; room: BodyRoom }

/** The body of a request, bounded while it arrives: by its own limit, by what all bodies together may take, and by the time it takes. */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyRead> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limits.maxBytes) return Promise.resolve({ kind: 'too_large' })
  if (announced > LARGE_BODY_BYTES) return readLargeBody(request, { ...limits, expectedBytes: announced, begun: [] })
  return readSmallBody(request, limits)
}

/** One that was not announced may turn out large. */
function readSmallBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyRead> {
  const { maxBytes, room } = limits
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let length = 0
    let isSettled = false
    const settle = (result: BodyRead | Promise<BodyRead>, keepsRoom = false) => {
      isSettled = true
      // The request lives on while it is answered, and its listeners with it.
      chunks = []
      if (!keepsRoom) room.small.giveBack(length)
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      if (length + chunk.length > maxBytes) return stop({ kind: 'too_large' })
      if (length + chunk.length > LARGE_BODY_BYTES) {
        request.pause()
        return stop(readLargeBody(request, { ...limits, expectedBytes: maxBytes, begun: [...chunks, chunk] }))
      }
      if (!room.small.take(chunk.length)) return stop({ kind: 'no_room' })
      length += chunk.length
      chunks.push(chunk)
    }
    /** Settles before the end: what still comes is not ours to read. */
    const stop = (result: BodyRead | Promise<BodyRead>) => {
      request.off('data', onData)
      settle(result)
    }
    const onEnd = () => {
      if (isSettled) return
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)
      settle(
        arrivedBody(bytes, () => room.small.giveBack(length)),
        true,
      )
    }
    const onAbort = () => {
      if (!isSettled) settle({ kind: 'aborted' })
    }
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onAbort)
    request.on('error', onAbort)
  })
}

export function arrivedBody(bytes: Buffer, giveBack: () => void): ArrivedBody {
  let held: Buffer | undefined = bytes
  let hasRoom = true
  return {
    kind: 'body',
    take() {
      if (held === undefined) throw new TypeError('the bytes of a body were taken twice')
      const taken = held
      held = undefined
      return taken
    },
    giveBack() {
      if (hasRoom) giveBack()
      hasRoom = false
    },
  }
}
