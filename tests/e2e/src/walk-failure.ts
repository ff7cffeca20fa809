import { randomUUID } from 'node:crypto'
import { connectChain, fundWallet, mintUsdc, type Stack, type Wallet } from '@turnpike/local'
import { callsWith, chat, type Fault, payingFetch, post, quoteAndSign, setFaults, until } from '@turnpike/testing'
import type { Failure } from './error-answer.ts'
import { type Completion, completeWith } from './official-clients.ts'

/** What goes over the wire, where a row wants to meddle with it. */
export type WireRequest = { headers: Headers; body: string }

/** One request of a row: its own key, wallet and marker, so rows do not meet. */
export type Attempt = {
  stack: Stack
  url: string
  key: string
  marker: string
  body: object
  wallet: Wallet
  /** With every request of it. */
  headers?: Record<string, string>
}

export type FailureRow = {
  condition: string
  failure: Failure
  /** Whether the model is called at all. */
  executed: boolean
  /** What the same signed request gets once the condition is over: its result, the same answer for ever, or a result after a top-up. */
  afterwards: 'paid' | 'same' | 'paid_when_funded'
  /** Of the one upstream, for this request only. */
  fault?: Omit<Fault, 'upstream' | 'match'>
  usdc?: number
  body?: (marker: string) => object
  /** Before the signed request. */
  before?: (attempt: Attempt) => Promise<void>
  /** Changes the signed request on its way. */
  meddle?: (request: WireRequest, attempt: Attempt) => WireRequest | Promise<WireRequest>
  /** While the model works. */
  during?: (attempt: Attempt) => Promise<unknown>
  /** The row pays something on purpose, and nothing more may be charged. */
  paidBefore?: boolean
}

export async function attemptOf(stack: Stack, url: string, row: Pick<FailureRow, 'usdc' | 'body'>): Promise<Attempt> {
  const marker = randomUUID()
  const body = row.body?.(marker) ?? chat(`Contract ${marker}`)
  return { stack, url, key: randomUUID(), marker, body, wallet: await fundWallet(stack, row.usdc ?? 1) }
}

/** Brings the condition about around the requests that `send` makes. */
export async function under<T>(row: FailureRow, attempt: Attempt, send: () => Promise<T>): Promise<T> {
  const { stack, marker } = attempt
  await row.before?.(attempt)
  await setFaults(stack, row.fault === undefined ? [] : [{ upstream: 'gemini', match: { bodyIncludes: marker }, ...row.fault }])
  const sending = send()
  if (row.during !== undefined) {
    await until('the model is called', async () => (await callsWith(stack, marker)).length > 0)
    await row.during(attempt)
  }
  return await sending
}

export async function topUp({ stack, wallet }: Attempt): Promise<void> {
  await mintUsdc(connectChain(stack.chain.rpcUrl), wallet.address, 1_000_000n)
}

export async function signed(attempt: Attempt): Promise<string> {
  return quoteAndSign(attempt.wallet, attempt)
}

/** The signed request by hand, meddled with when a row says so. */
export async function sendSigned(attempt: Attempt, payment: string, meddle?: FailureRow['meddle']): Promise<Response> {
  if (meddle === undefined) return post({ ...attempt, payment })
  const headers = new Headers({
    'content-type': 'application/json',
    'x-idempotency-key': attempt.key,
    'PAYMENT-SIGNATURE': payment,
    ...attempt.headers,
  })
  const { headers: changed, body } = await meddle({ headers, body: JSON.stringify(attempt.body) }, attempt)
  return fetch(attempt.url, { method: 'POST', headers: changed, body })
}

export type ClientEnd = {
  /** Undefined when the client threw. */
  completion: Completion | undefined
  error: unknown
  /** The answers to its requests in order, but for the challenges that it signed. */
  answers: Response[]
}

/**
 * The official client of the dialect with its default retries around the official paying fetch, under one key. Only the waiting is cut
 * short: each answer that says "later" says "in 20 ms" on top, by the header that these clients look at first.
 */
export async function throughClient(attempt: Attempt, meddle?: FailureRow['meddle']): Promise<ClientEnd> {
  const answers: Response[] = []
  const wire: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const isSigned = request.headers.has('PAYMENT-SIGNATURE')
    const response = isSigned && meddle !== undefined ? await sendMeddled(request, attempt, meddle) : await fetch(request)
    // Not clone(): its other half would keep the client, which cancels the bodies of failures, waiting for us.
    const text = await response.text()
    const { status, headers } = response
    if (isSigned || status !== 402) answers.push(new Response(text, { status, headers }))
    const hurried = new Headers(headers)
    if (!response.ok) hurried.set('retry-after-ms', '20')
    return new Response(text, { status, headers: hurried })
  }
  const { url, body } = attempt
  const headers = { 'x-idempotency-key': attempt.key, ...attempt.headers }
  try {
    const completion = await completeWith(payingFetch(attempt.wallet, wire), { url, body, headers })
    return { completion, error: undefined, answers }
  } catch (error) {
    return { completion: undefined, error, answers }
  }
}

async function sendMeddled(request: Request, attempt: Attempt, meddle: NonNullable<FailureRow['meddle']>): Promise<Response> {
  const { headers, body } = await meddle({ headers: new Headers(request.headers), body: await request.text() }, attempt)
  return fetch(request.url, { method: 'POST', headers, body, signal: request.signal })
}
