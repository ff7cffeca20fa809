import { type PriceBook, usePrices } from '@turnpike/catalog'
import { Piscina } from 'piscina'
import { ENDPOINTS } from '../endpoints/paid-endpoints.ts'
import { type QuoteBody, readQuoteBody } from '../quotes/read-quote-body.ts'
import type { BodyTask } from './body-reader.ts'
import { type EffectiveBody, readAnyBody } from './effective-body.ts'

usePrices(Piscina.workerData as PriceBook)

/** Runs in a thread of the body reader. */
export default async function readBodyInThread(task: BodyTask): Promise<EffectiveBody | QuoteBody> {
  const bytes = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.length)
  if (task.kind === 'quote') return readQuoteBody(bytes)
  const { path, contentType, keepContent } = task
  const endpoint = ENDPOINTS.find((each) => each.path === path)
  if (endpoint === undefined) throw new TypeError(`no endpoint at ${path}`)
  const body = await readAnyBody(endpoint, { contentType, bytes })
  if (body.kind !== 'parsed' || body.canonicalBody === undefined) return body
  if (!keepContent) return { ...body, canonicalBody: '', audio: undefined }
  if (body.audio === undefined) return body
  const { buffer } = body.audio.bytes
  const moved = { [Piscina.transferableSymbol]: [buffer], [Piscina.valueSymbol]: body }
  return Piscina.move(moved as never) as unknown as EffectiveBody
}
