// Runs in a page of another origin, bundled by esbuild: the official client with a test wallet.
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export type PaidInPage = { status: number; text: string; headers: Record<string, string | null>; challenge: string | null }

const READ = ['payment-response', 'x-receipt-id', 'x-receipt-token', 'x-request-id', 'x-catalog-version']

async function payInPage(baseUrl: string, privateKey: Hex): Promise<PaidInPage> {
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(privateKey)))
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({
      model: 'gm-2.5-flash-lite',
      messages: [{ role: 'user', content: 'From a page' }],
      max_tokens: 64,
    }),
  }
  const url = `${baseUrl}/v1/chat/completions`
  const challenge = (await fetch(url, init)).headers.get('payment-required')
  const response = await wrapFetchWithPayment(fetch, payer)(url, init)
  const body = (await response.json()) as { choices: [{ message: { content: string } }] }
  const headers = Object.fromEntries(READ.map((name) => [name, response.headers.get(name)]))
  return { status: response.status, text: body.choices[0].message.content, headers, challenge }
}

Object.assign(globalThis, { payInPage })
