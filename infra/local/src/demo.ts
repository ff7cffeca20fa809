import { randomUUID } from 'node:crypto'
import { ExactEvmScheme } from '@x402/evm'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { formatUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { StackFailure } from './failure.ts'
import type { Stack } from './stack-file.ts'

export interface DemoResult {
  readonly priceUsdc: string
  readonly answer: string
  readonly receiptId: string
  readonly transaction: string
  readonly tookMs: number
}

export const demoModel = 'gm-2.5-flash-lite'
export const demoPrompt = 'Say hello to everybody on the turnpike.'

/** Pays for one answer as anybody would: the official x402 client, a wallet, and an idempotency key held over its retry. */
export async function payOnce(stack: Pick<Stack, 'baseUrl' | 'wallet'>): Promise<DemoResult> {
  let amountAtomic = 0n
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(stack.wallet.privateKey)))
  client.onAfterPaymentCreation(async ({ selectedRequirements }) => {
    amountAtomic = BigInt(selectedRequirements.amount)
  })
  const startedMs = Date.now()
  const response = await wrapFetchWithPayment(fetch, client)(`${stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-idempotency-key': randomUUID() },
    body: JSON.stringify({ model: demoModel, messages: [{ role: 'user', content: demoPrompt }] }),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const tookMs = Date.now() - startedMs
  const receiptId = response.headers.get('x-receipt-id')
  const settlement = response.headers.get('payment-response')
  if (!response.ok || receiptId === null || settlement === null) {
    throw new StackFailure(`The demo request was answered ${response.status}: ${text.slice(0, 300)}`)
  }
  const completion = JSON.parse(text) as { choices?: { message?: { content?: string } }[] }
  return {
    priceUsdc: formatUnits(amountAtomic, 6),
    answer: completion.choices?.[0]?.message?.content ?? '',
    receiptId,
    transaction: decodePaymentResponseHeader(settlement).transaction,
    tookMs,
  }
}
