import { ERRORS } from '@turnpike/contracts'
import { callsWith, chat, clearFaults, setFaults, transfersToSeller } from '@turnpike/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { DIALECTS, PATHS } from './dialects.ts'
import { expectFailure } from './error-answer.ts'
import { failureRows, NOT_ON_A_PAID_REQUEST, STRICT_FAILURES } from './failure-rows.ts'
import { CLIENT_ERRORS } from './official-clients.ts'
import { stackNow } from './stack-under-test.ts'
import { type Attempt, attemptOf, type FailureRow, sendSigned, signed, throughClient, topUp, under } from './walk-failure.ts'

const stack = stackNow()
const DEFAULT_RETRIES = 2

afterEach(() => clearFaults(stack))

async function transfersOf({ wallet }: Attempt): Promise<number> {
  return (await transfersToSeller(stack, wallet.address)).length
}

/** Nothing was charged beyond what the row paid for on purpose. */
async function expectUncharged(row: FailureRow, attempt: Attempt): Promise<void> {
  expect(await transfersOf(attempt), 'transfers').toBe(row.paidBefore === true ? 1 : 0)
}

it('the failure contract has a row, or a reason to have none, for every error code', () => {
  const exceptions = Object.keys(NOT_ON_A_PAID_REQUEST)
  for (const dialect of DIALECTS) {
    const walked: string[] = failureRows(dialect).map(({ failure }) => failure.code)
    const codes = [...walked, ...Object.keys(STRICT_FAILURES), ...exceptions]
    expect([...new Set(codes)].sort()).toEqual(Object.keys(ERRORS).sort())
    expect(exceptions.filter((code) => walked.includes(code) || code in STRICT_FAILURES)).toEqual([])
  }
})

describe.each(DIALECTS)('the failure contract of %s', (dialect) => {
  const [first, second] = stack.gateways.map((gateway) => `${gateway}${PATHS[dialect]}`) as [string, string]
  const rows = failureRows(dialect)
  const ClientError = CLIENT_ERRORS[dialect]

  it.each(rows)('$failure.status $failure.code when $condition', async (row) => {
    const attempt = await attemptOf(stack, first, row)
    const payment = await signed(attempt)
    const response = await under(row, attempt, () => sendSigned(attempt, payment, row.meddle))
    await expectFailure(response, row.failure, dialect)
    expect((await callsWith(stack, attempt.marker)).length > 0, 'executed').toBe(row.executed || row.failure.charged === 'yes')
    await expectUncharged(row, attempt)

    await clearFaults(stack)
    if (row.afterwards === 'paid_when_funded') await topUp(attempt)
    // On the other replica: what holds, holds everywhere.
    const again = await sendSigned({ ...attempt, url: second }, payment)
    if (row.afterwards === 'same') {
      await expectFailure(again, row.failure, dialect)
      return expectUncharged(row, attempt)
    }
    expect(again.status, await again.text()).toBe(200)
    expect(await transfersOf(attempt)).toBe(row.paidBefore === true ? 2 : 1)
  })

  it.each(rows)('costs nothing through the official client when $condition', async (row) => {
    const attempt = await attemptOf(stack, second, row)
    const { error, answers } = await under(row, attempt, () => throughClient(attempt, row.meddle))
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ status: row.failure.status })
    expect(answers).toHaveLength(row.failure.retryable ? 1 + DEFAULT_RETRIES : 1)
    for (const answer of answers) await expectFailure(answer, row.failure, dialect)
    await expectUncharged(row, attempt)

    await clearFaults(stack)
    if (row.afterwards === 'paid_when_funded') await topUp(attempt)
    const again = await throughClient({ ...attempt, url: first })
    if (row.afterwards === 'same') {
      expect(again.error).toMatchObject({ status: row.failure.status })
      return expectUncharged(row, attempt)
    }
    expect(again.error).toBeUndefined()
    expect(again.completion?.text).toContain(attempt.marker)
    expect(await transfersOf(attempt)).toBe(row.paidBefore === true ? 2 : 1)
  })

  it('ends in one result and one transfer when the fault passes between the retries of the official client', async () => {
    const attempt = await attemptOf(stack, first, {})
    const fault = { upstream: 'gemini', kind: 'status-500', times: 2, match: { bodyIncludes: attempt.marker } } as const
    await setFaults(stack, [fault])
    const { completion, answers } = await throughClient(attempt)
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200])
    expect(completion?.text).toContain(attempt.marker)
    expect(await transfersOf(attempt)).toBe(1)
  })

  it('sells an answer that a filter stopped: 200 with the finish reason, charged once', async () => {
    const attempt = await attemptOf(stack, first, { body: (marker) => chat(`Filtered ${marker}`) })
    await setFaults(stack, [{ upstream: 'gemini', kind: 'blocked', match: { bodyIncludes: attempt.marker } }])
    const { completion } = await throughClient(attempt)
    expect(completion?.stopReason).toBe(dialect === 'chat' ? 'content_filter' : 'refusal')
    expect(await transfersOf(attempt)).toBe(1)
  })
})
