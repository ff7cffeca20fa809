import type { ObjectStream } from './object-stream.ts'

/** A stream read in the sizes that its reader needs, whatever sizes it arrives in. */
export type ExactReader = {
  /** The next bytes without taking them; fewer only where the stream ends before. */
  peek(bytes: number): Promise<Buffer>
  /** The next bytes; fewer only where the stream ends before. */
  take(bytes: number): Promise<Buffer>
  /** What is there of the next bytes, at least one; none at the end of the stream. */
  takeUpTo(bytes: number): Promise<Buffer>
}

export function exactReader(stream: Pick<ObjectStream, 'next'>): ExactReader {
  let chunks: Buffer[] = []
  let buffered = 0
  let hasEnded = false

  async function fill(bytes: number): Promise<void> {
    while (buffered < bytes && !hasEnded) {
      const chunk = await stream.next()
      if (chunk === undefined) hasEnded = true
      else {
        chunks.push(chunk)
        buffered += chunk.length
      }
    }
  }
  function joined(): Buffer {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, buffered)
    chunks = [all]
    return all
  }
  function split(bytes: number): Buffer {
    const all = joined()
    chunks = all.length > bytes ? [all.subarray(bytes)] : []
    buffered = Math.max(0, all.length - bytes)
    return all.subarray(0, bytes)
  }

  return {
    async peek(bytes) {
      await fill(bytes)
      return joined().subarray(0, bytes)
    },
    async take(bytes) {
      await fill(bytes)
      return split(bytes)
    },
    async takeUpTo(bytes) {
      await fill(1)
      return split(bytes)
    },
  }
}
