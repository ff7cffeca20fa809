import {
  type ByteRange,
  type Keyring,
  MAX_HEADER_BYTES,
  openSegmentHeader,
  SealBroken,
  type SegmentReader,
} from '@turnpike/sealing'
import { type ExactReader, exactReader } from './exact-reader.ts'
import { type MediaObject, mediaKeyOf } from './media-object.ts'
import type { ObjectStore } from './object-store.ts'

export type OpenMediaDeps = { store: Pick<ObjectStore, 'read'>; contentKeys: Keyring }

/** What of the file will be read: all of it from its first byte, some of it, or only what it is. */
export type MediaUse = 'whole' | 'part' | 'nothing'

export type HostedMedia = {
  contentBytes: number
  /** The bytes of that range in order, each chunk once it is authenticated. Once only. Throws SealBroken, and the store's faults. */
  read(range: ByteRange): AsyncGenerator<Buffer, void>
  /** Gives up the store's connection, as the signal does: a read that waits fails. */
  close(): void
}

/**
 * Opens a hosted file for reading in a stream: never more than a segment of it is in memory, and a range is read and decrypted without
 * the rest. Throws ObjectMissing, SealBroken, or the store's own transient faults.
 */
export async function openHostedMedia(
  deps: OpenMediaDeps,
  object: MediaObject,
  options: { use: MediaUse; signal: AbortSignal },
): Promise<HostedMedia> {
  const connection = openConnection(deps.store, mediaKeyOf(object), options.signal)
  try {
    return object.atRest === 'plain'
      ? await openPlain(connection, options.use)
      : await openSealed(connection, options.use, (start) => openSegmentHeader(deps.contentKeys, start, mediaKeyOf(object)))
  } catch (error) {
    connection.close()
    throw error
  }
}

/** One request to the store at a time; a new one gives up the one before. */
type Connection = {
  open(range?: ByteRange): Promise<{ reader: ExactReader; totalBytes: number }>
  close(): void
}

function openConnection(store: Pick<ObjectStore, 'read'>, key: string, signal: AbortSignal): Connection {
  let closeStream = (): void => {}
  // Whoever waits for a silent store is let go at once.
  signal.addEventListener('abort', () => closeStream(), { once: true })
  return {
    async open(range) {
      closeStream()
      const stream = await store.read(key, { signal, ...(range === undefined ? {} : { range }) })
      closeStream = () => stream.close()
      if (signal.aborted) stream.close()
      return { reader: exactReader(stream), totalBytes: stream.totalBytes }
    },
    close: () => closeStream(),
  }
}

async function openPlain(connection: Connection, use: MediaUse): Promise<HostedMedia> {
  const opened = await connection.open(use === 'whole' ? undefined : { first: 0, last: 0 })
  return {
    contentBytes: opened.totalBytes,
    close: connection.close,
    async *read({ first, last }) {
      try {
        const { reader } = use === 'whole' && first === 0 ? opened : await connection.open({ first, last })
        for (let left = last - first + 1; left > 0; ) {
          const chunk = await reader.takeUpTo(left)
          if (chunk.length === 0) throw new SealBroken('a hosted file is shorter than it was')
          left -= chunk.length
          yield chunk
        }
      } finally {
        connection.close()
      }
    },
  }
}

async function openSealed(
  connection: Connection,
  use: MediaUse,
  openHeader: (start: Buffer) => SegmentReader,
): Promise<HostedMedia> {
  const { reader: start } = await connection.open(use === 'whole' ? undefined : { first: 0, last: MAX_HEADER_BYTES - 1 })
  const head = await start.peek(MAX_HEADER_BYTES)
  const segments = openHeader(head)
  return {
    contentBytes: segments.contentBytes,
    close: connection.close,
    async *read(range) {
      const span = segments.spanOf(range)
      try {
        let reader = start
        if (use === 'whole' && span.firstSegment === 0) await reader.take(span.firstByte)
        else reader = (await connection.open({ first: span.firstByte, last: span.lastByte })).reader
        let skip = span.skipBytes
        let left = range.last - range.first + 1
        for (let index = span.firstSegment; index <= span.lastSegment; index++) {
          const plain = segments.openSegment(index, await reader.take(segments.sealedBytesOf(index)))
          const chunk = plain.subarray(skip, skip + left)
          skip = 0
          left -= chunk.length
          yield chunk
        }
      } finally {
        connection.close()
      }
    },
  }
}
