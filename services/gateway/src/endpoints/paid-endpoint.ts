import type { QuoteResult } from '@turnpike/catalog'
import type { PaidEndpoint, Parsed, TSchema } from '@turnpike/contracts'
import type { InspectedAudio } from '../transcription/inspect-audio.ts'

/** What differs from one paid endpoint to the next; everything else is the one payment lifecycle. */
export type PaidEndpointDefinition<Request extends { model: string } = { model: string }> = {
  path: PaidEndpoint
  description: string
  maxBytes: number
  minimumPriceAtomic(): bigint
  /** The most that one request can cost. */
  maximumPriceAtomic(): bigint
  /** The JSON body as the interface states it, for discovery. */
  requestSchema: TSchema
  /** Reads a parsed JSON body into the effective request: defaults filled in, aliases spelled one way. Pure. */
  parse(body: unknown): Parsed<Request>
  /** Where the endpoint takes forms besides JSON. What is wrong with a form is always a 400. */
  multipart?: { maxBytes: number; parse(body: Buffer, contentType: string): Promise<Parsed<Request>> }
  /** What is hashed, and what the worker gets: all of the request, unless the endpoint says otherwise. */
  effectiveOf?(request: Request): unknown
  /** The audio that the effective request names by its hash. */
  audioOf?(request: Request): InspectedAudio
  /** Whether this endpoint serves that model at all (the catalog says whether it is offered). */
  serves(model: string): boolean
  price(request: Request): QuoteResult
  providerDeadlineMs(request: Request): number
}
