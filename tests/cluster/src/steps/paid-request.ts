import { payingFetch, until } from '@turnpike/testing'
import type { Step } from './step.ts'

const KINDS = 4
const ALL_KINDS_MS = 180_000

/** The official x402 client buys one answer through the gateway's Service; then many clients buy everything that is sold. */
export const paidRequests: Step = {
  name: 'paid requests',
  repeats: 'none',
  async run({ gatewayUrl }, load) {
    // One of the crowd's requests, so that it is in its books: the crowd fetches it again by its key.
    const request = load.crowd.add('text')
    const startedMs = Date.now()
    const wire: typeof fetch = async (input, init) => {
      const sent = new Request(input, init)
      const payment = sent.headers.get('PAYMENT-SIGNATURE')
      if (payment !== null) request.nonces.add(nonceIn(payment))
      return await fetch(sent)
    }
    const answer = await payingFetch(request.wallet, wire)(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-idempotency-key': request.key },
      body: JSON.stringify(request.body),
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`the official client got ${answer.status}: ${text.slice(0, 300)}`)
    const officialClientMs = Date.now() - startedMs
    const kinds = () => new Set(load.crowd.requests.filter(({ paid }) => paid !== undefined).map(({ work }) => work))
    await until('work of every kind is paid', () => kinds().size === KINDS && load.paid() >= 40, ALL_KINDS_MS)
    return { officialClientMs, kinds: [...kinds()].join(' ') }
  },
}

function nonceIn(header: string): string {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    payload: { authorization: { nonce: string } }
  }
  return payload.authorization.nonce.toLowerCase()
}
