import { formatUsdc } from '@turnpike/contracts'
import { paymentRequirements } from '@turnpike/payments'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'
import { maxTimeoutSeconds } from '../paid/effective-request.ts'

const INSTRUCTIONS =
  'POST the request unsigned with a fresh x-idempotency-key: the 402 carries its exact price in PAYMENT-REQUIRED. Sign that with an x402 v2 exact client and send the same request with the same key and PAYMENT-SIGNATURE. The amounts here are minimum prices: never sign them.'

/** GET /.well-known/x402: the paid resources on offer, and how to pay for them. */
export function x402Document(deps: {
  publicBaseUrl: string
  payTo: string
  endpoints: readonly PaidEndpointDefinition[]
}): object {
  const urlOf = (path: string) => `${deps.publicBaseUrl}${path}`
  return {
    version: 1,
    x402Version: 2,
    resources: deps.endpoints.map(({ path }) => urlOf(path)),
    items: deps.endpoints.map(({ path, description, minimumPriceAtomic }) => ({
      resource: urlOf(path),
      method: 'POST',
      description,
      minimum_price_usd: formatUsdc(minimumPriceAtomic()),
      accepts: [
        paymentRequirements({ amountAtomic: minimumPriceAtomic(), payTo: deps.payTo, maxTimeoutSeconds: maxTimeoutSeconds(0) }),
      ],
    })),
    instructions: INSTRUCTIONS,
    openapi: urlOf('/openapi.json'),
  }
}
