import { describe, expect, it } from 'vitest'
import { ERRORS, type ErrorCode, type ErrorRow, errorEnvelope, errorMembers, errorRow, FAILURE_CODES } from './index.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]
const context = { path: '/v1/chat/completions', requestId: 'r-1', docsUrl: 'https://api.test/docs' }

describe('the error table', () => {
  it.each(codes)('%s is consistent', (code) => {
    const row: ErrorRow = errorRow(code)
    // A client that is told to come back is told when, and one that is not is not.
    expect(row.retryAfterS !== undefined).toBe(row.retryable)
    if (row.retryable) {
      expect([408, 409, 429, 503]).toContain(row.status)
      expect(row.retryAfterS).toBeGreaterThan(0)
    }
    if (row.status === 429) expect(row.retryable).toBe(true)
    // Everything refused before work is free; only an open settlement, an open wait or a defect leaves it open.
    if (row.status < 500 && row.status !== 409) expect(row.charged).toBe('no')
    if (row.status === 402) expect(row).toMatchObject({ charged: 'no', retryable: false })
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(row.message).toMatch(/^[\x20-\x7e]{10,200}$/)
    expect(row.message.endsWith('.') || row.message.endsWith('".')).toBe(true)
    expect(['no', 'yes', 'unknown']).toContain(row.charged)
  })

  it('says unknown where a settlement may have happened, and nowhere else', () => {
    const unknown = codes.filter((code) => errorRow(code).charged === 'unknown')
    expect(unknown.sort()).toEqual(['idempotency_in_progress', 'internal_error', 'settlement_pending'])
    expect(codes.filter((code) => errorRow(code).charged === 'yes')).toEqual(['idempotency_result_expired'])
  })

  it('holds the codes that the decisions name, with their status', () => {
    const named: [ErrorCode, number][] = [
      ['unsupported_media_type', 415],
      ['payload_too_large', 413],
      ['model_not_available', 400],
      ['context_length_exceeded', 400],
      ['idempotency_key_required', 400],
      ['idempotency_key_invalid', 400],
      ['idempotency_key_reused', 409],
      ['idempotency_in_progress', 409],
      ['idempotency_result_expired', 409],
      ['payment_header_malformed', 400],
      ['payment_already_used', 402],
      ['authorization_expires_too_soon', 402],
      ['authorization_not_yet_valid', 402],
      ['authorization_expires_too_late', 402],
      ['insufficient_funds', 402],
      ['exposure_limit', 429],
      ['settlement_pending', 503],
      ['content_blocked', 400],
      ['image_unavailable', 400],
      ['refused_by_policy', 400],
    ]
    for (const [code, status] of named) expect(errorRow(code).status, code).toBe(status)
  })

  it('holds every code that an outcome may carry, none of them charged', () => {
    for (const code of FAILURE_CODES) expect(errorRow(code), code).toMatchObject({ charged: 'no' })
    expect(errorRow('provider_outcome_unknown')).toMatchObject({ status: 503, retryable: false })
  })
})

describe('the envelopes', () => {
  it.each(codes)('of %s are those of both dialects, with the same members', (code) => {
    const row: ErrorRow = errorRow(code)
    const members = { code, charged: row.charged, retryable: row.retryable, doc_url: `https://api.test/docs#${code}` }
    expect(errorEnvelope({ code }, context)).toEqual({
      error: { message: row.message, type: expect.stringMatching(/^[a-z_]+$/), param: null, ...members },
      request_id: 'r-1',
    })
    expect(errorEnvelope({ code }, { ...context, path: '/v1/messages' })).toEqual({
      type: 'error',
      error: { type: expect.stringMatching(/^[a-z_]+$/), message: row.message, ...members },
      request_id: 'r-1',
    })
    expect(errorMembers({ code }, context.docsUrl)).toEqual(members)
  })

  it('carry what the place that raised the error knows better', () => {
    const problem = {
      code: 'invalid_value',
      message: 'max_tokens is too large.',
      param: 'max_tokens',
      charged: 'yes',
      receiptUrl: 'https://api.test/r',
    } as const
    expect(errorEnvelope(problem, context)).toMatchObject({
      error: { message: 'max_tokens is too large.', param: 'max_tokens', charged: 'yes', receipt_url: 'https://api.test/r' },
    })
    expect(errorEnvelope(problem, { ...context, path: '/v1/messages' })).toMatchObject({
      error: { type: 'invalid_request_error', message: 'max_tokens is too large.', receipt_url: 'https://api.test/r' },
    })
  })
})
