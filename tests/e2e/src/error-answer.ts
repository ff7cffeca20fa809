import type { Charged, ErrorCode } from '@turnpike/contracts'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { expect } from 'vitest'
import type { Dialect } from './dialects.ts'

/** What a failure promises: to the client that reads the body, and to the official one that reads the headers. */
export type Failure = {
  status: number
  code: ErrorCode
  charged: Charged
  retryable: boolean
  /** Seconds; undefined where a retry cannot help, `some` where only a whole number from 1 can be promised. */
  retryAfterS?: number | 'some'
}

export type ErrorAnswer = Failure & { required: PaymentRequired | undefined }

/** Reads an error of a paid endpoint in its dialect, and fails on any envelope but the agreed one. */
export async function readError(response: Response, dialect: Dialect = 'chat'): Promise<ErrorAnswer> {
  const text = await response.text()
  expect(response.status, text).toBeGreaterThanOrEqual(400)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const body = JSON.parse(text) as Body
  expect(body.request_id).toBe(response.headers.get('x-request-id'))
  const members = response.status === 402 ? challengeMembers(body) : ENVELOPES[dialect](body, response.status)
  const { code, charged, retryable } = members
  expect(response.headers.get('x-should-retry'), code).toBe(String(retryable))
  const after = response.headers.get('retry-after')
  if (after !== null) expect(after, code).toMatch(/^[1-9]\d*$/)
  const header = response.headers.get('PAYMENT-REQUIRED')
  expect(header !== null, `${code} carries a challenge`).toBe(response.status === 402)
  return {
    status: response.status,
    code,
    charged,
    retryable,
    ...(after === null ? {} : { retryAfterS: Number(after) }),
    required: header === null ? undefined : decodePaymentRequiredHeader(header),
  }
}

export async function expectFailure(
  response: Response,
  { retryAfterS, ...rest }: Failure,
  dialect: Dialect = 'chat',
): Promise<ErrorAnswer> {
  const answer = await readError(response, dialect)
  const seconds = retryAfterS === 'some' ? expect.any(Number) : retryAfterS
  expect(answer).toEqual({ ...rest, ...(seconds === undefined ? {} : { retryAfterS: seconds }), required: answer.required })
  if (answer.required !== undefined) expect(answer.required.accepts, rest.code).toHaveLength(1)
  return answer
}

type Body = Record<string, unknown> & { error: unknown }
type Members = { code: ErrorCode; charged: Charged; retryable: boolean }

const ENVELOPES = { chat: openaiMembers, messages: anthropicMembers } satisfies Record<Dialect, unknown>

const MEMBERS = {
  message: expect.stringMatching(/.+/),
  code: expect.any(String),
  charged: expect.any(String),
  retryable: expect.any(Boolean),
}

function openaiMembers(body: Body): Members {
  expect(Object.keys(body).sort()).toEqual(['error', 'request_id'])
  const error = body.error as Members & Record<string, unknown>
  expect(error).toEqual({
    ...MEMBERS,
    type: expect.stringMatching(/^[a-z_]+$/),
    param: error.param === null ? null : expect.any(String),
    doc_url: expect.stringMatching(new RegExp(`/docs#${error.code}$`)),
  })
  return error
}

const ANTHROPIC_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

function anthropicMembers(body: Body, status: number): Members {
  expect(Object.keys(body).sort()).toEqual(['error', 'request_id', 'type'])
  expect(body.type).toBe('error')
  const error = body.error as Members & Record<string, unknown>
  expect(error).toEqual({
    ...MEMBERS,
    type: ANTHROPIC_TYPES[status],
    doc_url: expect.stringMatching(new RegExp(`/docs#${error.code}$`)),
  })
  return error
}

function challengeMembers(body: Record<string, unknown>): Members {
  const { expires_at: expiresAt, ...constant } = body
  const { type } = body.price as { type: string }
  expect(expiresAt === undefined, 'only a fixed price expires').toBe(type === 'inspection')
  expect(constant).toEqual({
    error: 'Payment Required',
    message: expect.stringMatching(/.+/),
    price: { amount: expect.stringMatching(/^\d+\.\d+$/), currency: 'USDC', type: expect.stringMatching(/^(fixed|inspection)$/) },
    paymentInfo: { x402Version: 2, scheme: 'exact', network: 'eip155:8453', asset: expect.any(String) },
    code: expect.any(String),
    charged: 'no',
    retryable: false,
    doc_url: expect.stringMatching(/\/docs#/),
    request_id: expect.any(String),
  })
  return body as Members
}
