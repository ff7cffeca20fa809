import { chat, post } from '@turnpike/testing'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'

export const ROUTE = '/v1/chat/completions'
const AMOUNT_ATOMIC = '2000'

/** The one request of every scenario: its price is the minimum of 0.002 USDC, which is also the price of the reference's route. */
export const BODY = JSON.stringify(chat('Name three rivers that reach the North Sea, and one that does not.'))

/** The challenge of a side. Rejects where the two would not be comparable. */
export async function challengeOf(side: { name: string; url: string }): Promise<PaymentRequired> {
  const response = await post({ url: `${side.url}${ROUTE}`, body: BODY })
  const text = await response.text()
  const header = response.headers.get('PAYMENT-REQUIRED')
  if (response.status !== 402 || header === null)
    throw new Error(`${side.name} answered ${response.status} instead of 402: ${text}`)
  const required = decodePaymentRequiredHeader(header)
  const amount = required.accepts[0]?.amount
  if (amount !== AMOUNT_ATOMIC)
    throw new Error(`${side.name} asks for ${amount} atomic USDC; the comparison is for ${AMOUNT_ATOMIC}`)
  return required
}
