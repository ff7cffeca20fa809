import type { Catalog } from '@turnpike/catalog'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'

/** What the pages are written from. */
export type DocsDeps = {
  publicBaseUrl: string
  payTo: string
  catalog: Pick<Catalog, 'version' | 'offers' | 'offered'>
  /** Those on offer. */
  endpoints: readonly PaidEndpointDefinition[]
}
