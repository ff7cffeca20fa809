import { randomUUID } from 'node:crypto'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { formatUnits, type Hex, isHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PaidCheckConfig } from './config.ts'

export type PaidCheckResult = { kind: 'holds' } | { kind: 'fails'; why: string }

const BASE = 'eip155:8453'
const USDC_DECIMALS = 6
const PRIVATE_KEY_LENGTH = 66
const MAX_QUOTED_ANSWER = 300

/**
 * Buys one answer as a client would and looks at what it got: the price and whom it pays, the answer, its receipt, and that the same signed
 * request comes back as it was. `say` gets a line for each. Without a wallet it ends after the price.
 */
export async function checkPaidRequest(config: PaidCheckConfig, deps: { say: (line: string) => void }): Promise<PaidCheckResult> {
  const { say } = deps
  const send = sender(config, randomUUID())

  const challenge = await send({})
  const header = challenge.headers.get('PAYMENT-REQUIRED')
  if (challenge.status !== 402 || header === null) return fails(`an unpaid request is answered ${await described(challenge)}`)
  const required = decodePaymentRequiredHeader(header)
  const [offer] = required.accepts
  if (offer?.network !== BASE || offer.payTo.toLowerCase() !== config.payTo.toLowerCase())
    return fails(`the gateway asks to pay ${offer?.payTo ?? 'nobody'} on ${offer?.network ?? 'no network'}`)
  const amountAtomic = BigInt(offer.amount)
  say(`a price of ${formatUnits(amountAtomic, USDC_DECIMALS)} USDC for ${config.model}, to be paid to ${offer.payTo}`)

  if (config.walletKey === undefined) {
    say('no wallet is configured: nothing is paid')
    return { kind: 'holds' }
  }
  if (amountAtomic > config.maxAmountAtomic)
    return fails(`${amountAtomic} atomic USDC is more than the ${config.maxAmountAtomic} that may be paid`)
  const payment = await signed(config.walletKey, required)
  if (payment === undefined) return fails('WALLET_PRIVATE_KEY must be 0x and 64 hexadecimal digits')

  const paid = await send({ 'PAYMENT-SIGNATURE': payment })
  const receiptId = paid.headers.get('X-Receipt-ID')
  const receiptToken = paid.headers.get('X-Receipt-Token')
  const settlement = paid.headers.get('PAYMENT-RESPONSE')
  if (paid.status !== 200 || receiptId === null || receiptToken === null || settlement === null)
    return fails(`the paid request is answered ${await described(paid)}`)
  const answer = await paid.text()
  say(`paid in transaction ${decodePaymentResponseHeader(settlement).transaction}, receipt ${receiptId}`)

  const replay = await send({ 'PAYMENT-SIGNATURE': payment })
  if (replay.status !== 200 || replay.headers.get('X-Receipt-ID') !== receiptId || (await replay.text()) !== answer)
    return fails('the same signed request does not come back as it was')
  say('the same signed request comes back as it was')

  const receipt = await fetch(`${config.gatewayUrl}/v1/receipts/${receiptId}`, {
    headers: { authorization: `Bearer ${receiptToken}` },
    signal: AbortSignal.timeout(config.timeoutMs),
  })
  if (receipt.status !== 200) return fails(`its receipt is answered ${await described(receipt)}`)
  say('its receipt can be fetched')
  return { kind: 'holds' }
}

function sender({ gatewayUrl, model, timeoutMs }: PaidCheckConfig, key: string) {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Answer with one word.' }], max_tokens: 64 })
  return (headers: Record<string, string>): Promise<Response> =>
    fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-idempotency-key': key, ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
}

/** Undefined when that is no private key. */
async function signed(walletKey: string, required: PaymentRequired): Promise<string | undefined> {
  if (!isPrivateKey(walletKey)) return undefined
  const client = new x402Client().register(BASE, new ExactEvmScheme(privateKeyToAccount(walletKey)))
  return encodePaymentSignatureHeader(await client.createPaymentPayload(required))
}

function isPrivateKey(text: string): text is Hex {
  return isHex(text) && text.length === PRIVATE_KEY_LENGTH
}

/** Our own error documents hold no secret. */
async function described(response: Response): Promise<string> {
  return `${response.status}: ${(await response.text()).slice(0, MAX_QUOTED_ANSWER)}`
}

function fails(why: string): PaidCheckResult {
  return { kind: 'fails', why }
}
