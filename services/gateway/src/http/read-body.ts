import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from './byte-budget.ts'

export type BodyRead =
  /** `giveBack` returns the body's share of the budget: call it when the request is over. */
  { kind: 'body'; bytes: Buffer; giveBack: () => void } | { kind: 'too_large' } | { kind: 'no_room' } | { kind: 'aborted' }

/** The body of a request, bounded while it arrives: by its own limit, and by what all bodies together may take. */
export function readBody(request: IncomingMessage, maxBytes: number, budget: ByteBudget): Promise<BodyRead> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes) return Promise.resolve({ kind: 'too_large' })
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const settle = (result: BodyRead) => {
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onAbort)
      request.off('error', onAbort)
      if (result.kind !== 'body') budget.giveBack(length)
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      if (length + chunk.length > maxBytes) return settle({ kind: 'too_large' })
      if (!budget.take(chunk.length)) return settle({ kind: 'no_room' })
      length += chunk.length
      chunks.push(chunk)
    }
    const onEnd = () => {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)
      settle({ kind: 'body', bytes, giveBack: () => budget.giveBack(length) })
    }
    const onAbort = () => settle({ kind: 'aborted' })
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onAbort)
    request.on('error', onAbort)
  })
}
