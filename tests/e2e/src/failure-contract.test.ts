import { ERRORS } from '@turnpike/contracts'
import { callsWith, chat, clearFaults, setFaults, transfersToSeller } from '@turnpike/testing'
import { APIError } from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { expectFailure } from './error-answer.ts'
import { FAILURE_ROWS, NOT_ON_A_PAID_REQUEST, STRICT_FAILURES } from './failure-rows.ts'
import { stackNow } from './stack-under-test.ts'
import { type Attempt, attemptOf, type FailureRow, sendSigned, signed, throughClient, topUp, under } from './walk-failure.ts'

const stack = stackNow()
const [first, second] = stack.gateways.map((gateway) => `${gateway}/v1/chat/completions`) as [string, string]
const DEFAULT_RETRIES = 2

afterEach(() => clearFaults(stack))

async function transfersOf({ wallet }: Attempt): Promise<number> {
  return (await transfersToSeller(stack, wallet.address)).length
}

/** Nothing was charged beyond what the row paid for on purpose. */
async function expectUncharged(row: FailureRow, attempt: Attempt): Promise<void> {
  expect(await transfersOf(attempt), 'transfers').toBe(row.paidBefore === true ? 1 : 0)
}

describe('the failure contract', () => {
  it('has a row, or a reason to have none, for every error code', () => {
    const walked = FAILURE_ROWS.map(({ failure }) => failure.code)
    const codes = [...walked, ...Object.keys(STRICT_FAILURES), ...Object.keys(NOT_ON_A_PAID_REQUEST)]
    expect([...new Set(codes)].sort()).toEqual(Object.keys(ERRORS).sort())
    const exceptions = Object.keys(NOT_ON_A_PAID_REQUEST)
    expect(exceptions.filter((code) => (walked as string[]).includes(code) || code in STRICT_FAILURES)).toEqual([])
  })

  it.each(FAILURE_ROWS)('$failure.status $failure.code when $condition', async (row) => {
    const attempt = await attemptOf(stack, first, row)
    const payment = await signed(attempt)
    const response = await under(row, attempt, () => sendSigned(attempt, payment, row.meddle))
    await expectFailure(response, row.failure)
    expect((await callsWith(stack, attempt.marker)).length > 0, 'executed').toBe(row.executed || row.failure.charged === 'yes')
    await expectUncharged(row, attempt)

    await clearFaults(stack)
    if (row.afterwards === 'paid_when_funded') await topUp(attempt)
    // On the other replica: what holds, holds everywhere.
    const again = await sendSigned({ ...attempt, url: second }, payment)
    if (row.afterwards === 'same') {
      await expectFailure(again, row.failure)
      return expectUncharged(row, attempt)
    }
    expect(again.status, await again.text()).toBe(200)
    expect(await transfersOf(attempt)).toBe(row.paidBefore === true ? 2 : 1)
  })

  it.each(FAILURE_ROWS)('costs nothing through the official client when $condition', async (row) => {
    const attempt = await attemptOf(stack, second, row)
    const { error, answers } = await under(row, attempt, () => throughClient(attempt, row.meddle))
    expect(error).toBeInstanceOf(APIError)
    expect((error as APIError).status).toBe(row.failure.status)
    expect(answers).toHaveLength(row.failure.retryable ? 1 + DEFAULT_RETRIES : 1)
    for (const answer of answers) await expectFailure(answer, row.failure)
    await expectUncharged(row, attempt)

    await clearFaults(stack)
    if (row.afterwards === 'paid_when_funded') await topUp(attempt)
    const again = await throughClient({ ...attempt, url: first })
    if (row.afterwards === 'same') {
      expect((again.error as APIError).status).toBe(row.failure.status)
      return expectUncharged(row, attempt)
    }
    expect(again.error).toBeUndefined()
    expect(again.completion?.choices[0]?.message.content).toContain(attempt.marker)
    expect(await transfersOf(attempt)).toBe(row.paidBefore === true ? 2 : 1)
  })

  it('ends in one result and one transfer when the fault passes between the retries of the official client', async () => {
    const attempt = await attemptOf(stack, first, {})
    const fault = { upstream: 'gemini', kind: 'status-500', times: 2, match: { bodyIncludes: attempt.marker } } as const
    await setFaults(stack, [fault])
    const { completion, answers } = await throughClient(attempt)
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200])
    expect(completion?.choices[0]?.message.content).toContain(attempt.marker)
    expect(await transfersOf(attempt)).toBe(1)
  })

  it('sells an answer that a filter stopped: 200 with the finish reason, charged once', async () => {
    const attempt = await attemptOf(stack, first, { body: (marker) => chat(`Filtered ${marker}`) })
    await setFaults(stack, [{ upstream: 'gemini', kind: 'blocked', match: { bodyIncludes: attempt.marker } }])
    const { completion } = await throughClient(attempt)
    expect(completion?.choices[0]?.finish_reason).toBe('content_filter')
    expect(await transfersOf(attempt)).toBe(1)
  })
})
