import { availableParallelism } from 'node:os'
import { type PriceBook, PUBLISHED_PRICES } from '@turnpike/catalog'
import { Piscina } from 'piscina'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { isForm } from '../http/content-type.ts'
import { isTooComplex } from '../http/parse-json.ts'
import { LARGE_BODY_BYTES } from '../http/read-body.ts'
import { type QuoteBody, readQuoteBody } from '../quotes/read-quote-body.ts'
import { openClientTurns } from './client-turns.ts'
import { type Body, type EffectiveBody, readJsonBody } from './effective-body.ts'

/** Reads bodies into what follows from them. Small JSON is read on the spot; everything that takes longer, in other threads. */
export type BodyReader = {
  /**
   * `keepContent` gives back what the worker will get, text and audio: only a payment makes it worth the memory, and 20 MiB of text the
   * 10 ms that they stop everybody. Without it both are left out of what another thread has read. Its bytes are gone afterwards.
   */
  read(
    endpoint: PaidEndpointDefinition,
    body: Body,
    options: { keepContent: boolean } & Asker,
  ): EffectiveBody | Promise<EffectiveBody>
  /** A request for a quote, which holds a request of any endpoint. Its bytes are gone afterwards if they were large. */
  readQuote(bytes: Buffer, asker: Asker): QuoteBody | Promise<QuoteBody>
  close(): Promise<void>
}

/** Whose body it is: no client has all of the threads. */
export type Asker = { client: string }

/** What a thread is asked. */
export type BodyTask =
  | { kind: 'request'; path: string; contentType: string | undefined; bytes: Uint8Array; keepContent: boolean }
  | { kind: 'quote'; bytes: Uint8Array }

/**
 * What is read on the spot holds everybody up, so it is what takes 20 ms at worst, by size and by shape: one value in the costliest shapes
 * (unknown fields, schemas in schemas) takes 6 to 9 µs whatever its size, random text 60 ms for each MiB, and lists inside of the
 * arguments of a tool call, whose values are not seen until that text is parsed, 300 ms. Handing a body over costs a tenth of a millisecond.
 */
const READ_HERE_BYTES = 32 * 1_024
const READ_HERE = { maxDepth: 64, maxValues: 1_000 }
/** Tasks of one client that wait for its turn; a browser or an SDK has a handful. */
const MAX_CLIENT_WAITING = 64
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
  const turns = openClientTurns({ maxAtOnce: Math.max(1, Math.floor(threads / 2)), maxWaiting: MAX_CLIENT_WAITING })
  const inThread = (client: string, task: () => BodyTask) =>
    turns.take(client, () => {
      const asked = task()
      return pool.run(asked, { transferList: [asked.bytes.buffer as ArrayBuffer], signal: AbortSignal.timeout(MAX_TASK_MS) })
    }) ?? Promise.resolve({ kind: 'client_busy' as const })
  return {
    read(endpoint, { contentType, bytes }, { keepContent, client }) {
      if (mayBeReadHere(bytes) && !(contentType !== undefined && isForm(contentType))) return readJsonBody(endpoint, bytes)
      const { path } = endpoint
      const task = (): BodyTask => ({ kind: 'request', path, contentType, bytes: ownBlock(bytes), keepContent })
      return inThread(client, task) as Promise<EffectiveBody>
    },
    readQuote(bytes, { client }) {
      if (mayBeReadHere(bytes)) return readQuoteBody(bytes)
      return inThread(client, () => ({ kind: 'quote', bytes: ownBlock(bytes) })) as Promise<QuoteBody>
    },
    close: () => pool.destroy(),
  }
}

function mayBeReadHere(bytes: Buffer): boolean {
  return bytes.length <= READ_HERE_BYTES && !isTooComplex(bytes, READ_HERE)
}

/** Large bytes have a block of their own and are handed over; smaller ones may share theirs with others, and are copied. */
function ownBlock(bytes: Buffer): Uint8Array {
  return bytes.length > LARGE_BODY_BYTES ? bytes : new Uint8Array(bytes)
}
