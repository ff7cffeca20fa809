import type { QuoteResult } from '@turnpike/catalog'
import type { PaidEndpoint, Parsed } from '@turnpike/contracts'

/** What differs from one paid endpoint to the next; everything else is the one payment lifecycle. */
export type PaidEndpointDefinition<Request extends { model: string } = { model: string }> = {
  path: PaidEndpoint
  description: string
  maxBytes: number
  minimumPriceAtomic: bigint
  /** Reads a parsed JSON body into the effective request: defaults filled in, aliases spelled one way. Pure. */
  parse(body: unknown): Parsed<Request>
  /** Whether this endpoint serves that model at all (the catalog says whether it is offered). */
  serves(model: string): boolean
  price(request: Request): QuoteResult
  providerDeadlineMs(request: Request): number
}
