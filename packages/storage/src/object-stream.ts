import type { Readable } from 'node:stream'

/** A part of an object while it arrives: `bytes` of it, of `totalBytes`. Whoever opened it reads it to its end or closes it. */
export type ObjectStream = {
  bytes: number
  totalBytes: number
  /** The next bytes, at the reader's pace; undefined at the end. Throws when the store breaks off, or is waited for too long. */
  next(): Promise<Buffer | undefined>
  /** Gives up the connection. A read that waits fails. */
  close(): void
}

export function openObjectStream(
  body: Readable,
  size: { bytes: number; totalBytes: number },
  idleTimeoutMs: number,
): ObjectStream {
  // The failure is the reader's to see; between two reads it would otherwise be nobody's, which ends the process.
  body.on('error', () => {})
  const chunks = body.iterator({ destroyOnReturn: true })
  let received = 0
  return {
    ...size,
    async next() {
      // Runs only while somebody waits: a reader may be as slow as its own client.
      const idle = setTimeout(() => body.destroy(new Error('the store stopped sending')), idleTimeoutMs)
      try {
        const { value, done } = await chunks.next()
        if (done === true) return undefined
        received += (value as Buffer).length
        // Seeing the end gives the connection back for the next request; who has all the bytes does not ask once more.
        if (received >= size.bytes) await chunks.next()
        return value as Buffer
      } finally {
        clearTimeout(idle)
      }
    },
    close: () => {
      body.destroy()
    },
  }
}
