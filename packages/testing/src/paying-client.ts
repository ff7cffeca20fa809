import { randomUUID } from 'node:crypto'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export type TestWallet = { address: Hex; privateKey: Hex }

/** The official client around fetch, or around another way to the wire: pays what it is asked. */
export function payingFetch(wallet: TestWallet, wire: typeof fetch = fetch): typeof fetch {
  return wrapFetchWithPayment(wire, clientOf(wallet)) as typeof fetch
}

function clientOf(wallet: TestWallet): x402Client {
  return new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(wallet.privateKey)))
}

/** Signs a challenge with the official client, for tests that want to hold the signed request in their hands. */
export async function signChallenge(
  wallet: TestWallet,
  challenge: Response,
): Promise<{ header: string; payload: PaymentPayload; required: PaymentRequired }> {
  const required = decodePaymentRequiredHeader(challenge.headers.get('PAYMENT-REQUIRED') ?? '')
  const payload = await clientOf(wallet).createPaymentPayload(required)
  return { header: encodePaymentSignatureHeader(payload), payload, required }
}

/** A POST of JSON, with a key and perhaps a payment. */
export type Call = {
  url: string
  body: unknown
  key?: string | undefined
  payment?: string | undefined
  headers?: Record<string, string>
  signal?: AbortSignal
}

export function post({ url, body, key = randomUUID(), payment, headers = {}, signal }: Call): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-idempotency-key': key,
      ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Takes the challenge of a request and signs it: what is left is to send it. */
export async function quoteAndSign(wallet: TestWallet, call: Omit<Call, 'payment' | 'key'> & { key: string }): Promise<string> {
  const challenge = await post(call)
  if (challenge.status !== 402) throw new Error(`expected a challenge, got ${challenge.status}: ${await challenge.text()}`)
  await challenge.body?.cancel()
  return (await signChallenge(wallet, challenge)).header
}

export function chat(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'gm-2.5-flash-lite', messages: [{ role: 'user', content: text }], max_tokens: 64, ...more }
}
