import { formatUsdc } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from '../endpoints/paid-endpoint.ts'

/** GET /llms.txt: what an agent reads first. */
export function llmsTxt(deps: { publicBaseUrl: string; endpoints: readonly PaidEndpointDefinition[] }): string {
  const { publicBaseUrl: base, endpoints } = deps
  return `# Turnpike

> AI model calls, sold one at a time. No account, no API key: each request has one price in USDC on Base (eip155:8453), paid through x402 version 2, scheme exact, and comes with a receipt.

## How to buy a call

1. POST the request with a fresh \`x-idempotency-key\` and no payment. The answer is 402: \`PAYMENT-REQUIRED\` (Base64 JSON) holds the exact price. Nothing was charged.
2. Check network, asset (USDC 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913), payTo, amount and domain, and sign with an official x402 v2 client.
3. Send the identical request with the same key and \`PAYMENT-SIGNATURE\`. The answer is 200 with \`X-Receipt-ID\` and \`X-Receipt-Token\`.
4. After a lost connection or a 503 send it again under the same key: it is never charged twice, and the result is kept for 7 days.

A challenge with \`X-Service-Challenge-Kind: inspection\` answers an incomplete body and must not be signed. Every error says in \`charged\` whether money moved, and in \`retryable\` whether the same request can succeed.

## Paid endpoints

${endpoints.map(({ path, description, minimumPriceAtomic }) => `- POST ${base}${path}: ${description} From ${formatUsdc(minimumPriceAtomic())} USD.`).join('\n')}

## Free

- [Models](${base}/v1/models): what is on offer, with limits
- [Prices](${base}/v1/pricing): every rate, and the rule of the input-token estimate
- [Voices](${base}/v1/audio/voices)
- POST ${base}/v1/quote: the price of a request, line by line, binding nothing
- ${base}/v1/balance?address=0x…: what a wallet holds

## Reference

- [OpenAPI](${base}/openapi.json): every route, schema, header and error
- [x402 resources](${base}/.well-known/x402)
- [Documentation](${base}/docs): for people, with the error catalogue
- [Receipt keys](${base}/.well-known/jwks.json)
`
}
