import { availableParallelism } from 'node:os'
import { type PriceBook, PUBLISHED_PRICES } from '@turnpike/catalog'
import { Piscina } from 'piscina'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { isForm } from '../http/content-type.ts'
import { LARGE_BODY_BYTES } from '../http/read-body.ts'
import { type QuoteBody, readQuoteBody } from '../quotes/read-quote-body.ts'
import { type Body, type EffectiveBody, readJsonBody } from './effective-body.ts'

/** Reads bodies into what follows from them. Small JSON is read on the spot; everything that takes longer, in other threads. */
export type BodyReader = {
  /**
   * `keepContent` gives back what the worker will get, text and audio: only a payment makes it worth the memory, and 20 MiB of text the
   * 10 ms that they stop everybody. Without it both are left out of what another thread has read. Its bytes are gone afterwards.
   */
  read(endpoint: PaidEndpointDefinition, body: Body, options: { keepContent: boolean }): EffectiveBody | Promise<EffectiveBody>
  /** A request for a quote, which holds a request of any endpoint. Its bytes are gone afterwards if they were large. */
  readQuote(bytes: Buffer): QuoteBody | Promise<QuoteBody>
  close(): Promise<void>
}

/** What a thread is asked. */
export type BodyTask =
  | { kind: 'request'; path: string; contentType: string | undefined; bytes: Uint8Array; keepContent: boolean }
  | { kind: 'quote'; bytes: Uint8Array }

/** About 5 ms of work for each MiB of text; handing a body over costs a tenth of a millisecond. */
const READ_HERE_BYTES = 256 * 1_024
const MAX_TASKS = 1_000
/** Far beyond the slowest body, its turn included: what is cut off is a thread that will not come back. */
const MAX_TASK_MS = 60_000
const MAX_HEAP_MIB = 768

export function openBodyReader({
  threads = Math.max(1, availableParallelism() - 1),
  prices = PUBLISHED_PRICES,
}: {
  threads?: number
  prices?: PriceBook
} = {}): BodyReader {
  const pool = new Piscina<BodyTask, EffectiveBody | QuoteBody>({
    filename: new URL('./body-reader-thread.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    maxQueue: MAX_TASKS,
    idleTimeout: 30_000,
    // A body that is worse than anybody thought ends its thread, not the gateway.
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
    env: {},
    // A thread has a copy of every module: what this process charges, it has to be told.
    workerData: prices,
  })
  const inThread = (task: BodyTask) =>
    pool.run(task, { transferList: [task.bytes.buffer as ArrayBuffer], signal: AbortSignal.timeout(MAX_TASK_MS) })
  return {
    read(endpoint, { contentType, bytes }, { keepContent }) {
      const mayBeReadHere = bytes.length <= READ_HERE_BYTES && !(contentType !== undefined && isForm(contentType))
      if (mayBeReadHere) return readJsonBody(endpoint, bytes)
      return inThread({
        kind: 'request',
        path: endpoint.path,
        contentType,
        bytes: ownBlock(bytes),
        keepContent,
      }) as Promise<EffectiveBody>
    },
    readQuote(bytes) {
      if (bytes.length <= READ_HERE_BYTES) return readQuoteBody(bytes)
      return inThread({ kind: 'quote', bytes: ownBlock(bytes) }) as Promise<QuoteBody>
    },
    close: () => pool.destroy(),
  }
}

/** Large bytes have a block of their own and are handed over; smaller ones may share theirs with others, and are copied. */
function ownBlock(bytes: Buffer): Uint8Array {
  return bytes.length > LARGE_BODY_BYTES ? bytes : new Uint8Array(bytes)
}
