import { formatUsdc, type Model, openApiDocument, type PaidEndpoint, type PriceHint } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'

/** GET /openapi.json: only what is on offer stands in it. */
export function apiDocument(deps: {
  publicBaseUrl: string
  models: readonly Model[]
  endpoints: readonly PaidEndpointDefinition[]
}): object {
  const prices: Partial<Record<PaidEndpoint, PriceHint>> = {}
  for (const endpoint of deps.endpoints) prices[endpoint.path] = priceHint(endpoint)
  return openApiDocument({ baseUrl: deps.publicBaseUrl, prices, models: deps.models })
}

function priceHint({ minimumPriceAtomic, maximumPriceAtomic }: PaidEndpointDefinition): PriceHint {
  const [min, max] = [formatUsdc(minimumPriceAtomic()), formatUsdc(maximumPriceAtomic())]
  return min === max ? { mode: 'fixed', amount: min } : { mode: 'dynamic', min, max }
}
