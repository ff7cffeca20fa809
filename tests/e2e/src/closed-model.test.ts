import { randomUUID } from 'node:crypto'
import { fundWallet, type Wallet } from '@turnpike/local'
import {
  callsWith,
  chat,
  clearFaults,
  type Fault,
  post,
  quoteAndSign,
  setFaults,
  transfersToSeller,
  until,
} from '@turnpike/testing'
import { afterEach, expect, it } from 'vitest'
import { expectFailure, type Failure, readError } from './error-answer.ts'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const [first, second] = stack.gateways.map((gateway) => `${gateway}/v1/chat/completions`) as [string, string]

// A model of its own, so that nothing else is closed with it.
const MODEL = 'gm-3.1-flash-lite'
const ITS_CALLS = { pathIncludes: 'gemini-3.1-flash-lite:' }
const FAILURES = 5

afterEach(() => clearFaults(stack))

type Signed = { key: string; marker: string; body: object; wallet: Wallet; payment: string }

async function sign(model = MODEL): Promise<Signed> {
  const marker = randomUUID()
  const wallet = await fundWallet(stack, 1)
  const call = { key: randomUUID(), body: chat(`Outage ${marker}`, { model }) }
  return { ...call, marker, wallet, payment: await quoteAndSign(wallet, { ...call, url: first }) }
}
const send = (url: string, { key, body, payment }: Signed) => post({ url, key, body, payment })
const transfersOf = async ({ wallet }: Signed) => (await transfersToSeller(stack, wallet.address)).length
const closed: Failure = { status: 503, code: 'provider_overloaded', charged: 'no', retryable: true, retryAfterS: 'some' }

it('a model whose upstream is down is closed before anybody pays, and is sold again by itself', async () => {
  const paidBefore = await sign()
  const sold = await send(first, paidBefore)
  const soldText = await sold.text()
  expect(sold.status, soldText).toBe(200)
  const [waiting, underWay, otherModel, ...failing] = await Promise.all([
    ...[sign(), sign(), sign('gm-2.5-flash')],
    ...Array.from({ length: FAILURES }, () => sign()),
  ] as const)
  if (waiting === undefined || underWay === undefined || otherModel === undefined) throw new Error('nothing was signed')

  // One request is under way when the upstream goes, and will be lost later on.
  const outage: Fault = { upstream: 'gemini', match: ITS_CALLS, kind: 'status-503' }
  const lostLater: Fault = { upstream: 'gemini', match: { bodyIncludes: underWay.marker }, kind: 'hang', ms: 6_000 }
  await setFaults(stack, [lostLater, outage])
  const itsAnswer = send(first, underWay)
  await until('the model is called', async () => (await callsWith(stack, underWay.marker)).length > 0)
  for (const answer of await Promise.all(failing.map((request) => send(second, request)))) await expectFailure(answer, closed)

  // Closed at every gateway: without a payment, and with one that was signed before.
  const unpaid = (url: string) => post({ url, body: chat('Is anybody there?', { model: MODEL }) })
  const both = [first, second] as const
  await Promise.all(both.map((url) => until('the model is closed', async () => (await unpaid(url)).status === 503)))
  // All at once, because some seconds later it is tried again.
  const answers = await Promise.all(both.flatMap((url) => [unpaid(url), send(url, waiting)]))
  for (const answer of answers) await expectFailure(answer, closed)
  expect(await callsWith(stack, waiting.marker)).toEqual([])

  // What was begun or bought before goes on, and so does every other model.
  const joined = send(second, underWay)
  const replayed = await send(second, paidBefore)
  expect([replayed.status, replayed.headers.get('idempotent-replayed'), await replayed.text()]).toEqual([200, 'true', soldText])
  expect((await send(second, otherModel)).status).toBe(200)
  for (const answer of await Promise.all([itsAnswer, joined])) {
    expect(await readError(answer)).toMatchObject({ status: 503, code: 'provider_outcome_unknown', charged: 'no' })
  }

  await clearFaults(stack)
  await until('the model is sold again', async () => (await send(first, waiting)).status === 200, 60_000)
  for (const request of failing) expect(await transfersOf(request)).toBe(0)
  expect(await Promise.all([waiting, paidBefore, underWay].map(transfersOf))).toEqual([1, 1, 0])
  // The signatures of those that failed are still good.
  for (const answer of await Promise.all(failing.map((request) => send(second, request)))) expect(answer.status).toBe(200)
})
