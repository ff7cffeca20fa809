import { describe, expect, it } from 'vitest'
import { commitCodec, EVENT_SCHEMAS, jobCodec, outcomeCodec } from './codec.ts'
import type { CommitEvent } from './commit.ts'
import type { JobEvent } from './job.ts'
import type { OutcomeEvent } from './outcome.ts'

const hex = (digit: string) => digit.repeat(64)
const uuid = '0b6e5b2e-6f0a-4d4e-9a53-0a4a7a0f0001'
const address = `0x${'a'.repeat(40)}`

const job: JobEvent = {
  type: 'job',
  version: 1,
  jobId: hex('1'),
  requestId: uuid,
  keyHash: 'k'.repeat(43),
  fingerprint: hex('2'),
  endpoint: '/v1/chat/completions',
  model: 'gm-2.5-flash',
  catalogVersion: '2026-11-21.0a1b2c3d',
  amountAtomic: '2000',
  priceInputs: { billing_mode: 'fixed_request_estimate', input_tokens: 12 },
  payer: address,
  nonce: `0x${hex('3')}`,
  payTo: address,
  validBefore: 1_800_000_000,
  attempt: 0,
  admittedAt: 1_790_000_000_000,
  deadline: 1_790_000_060_000,
  payment: { inline: 'c2VhbGVk' },
  request: { ref: `requests/${hex('1')}`, sha256: hex('4'), bytes: 300_000 },
}
const succeeded: OutcomeEvent = {
  type: 'outcome',
  version: 2,
  startedAt: 1_790_000_000_500,
  jobId: hex('1'),
  keyHash: 'k'.repeat(43),
  finishedAt: 1_790_000_001_000,
  kind: 'succeeded',
  result: { contentType: 'application/json', body: { inline: 'c2VhbGVk' }, sha256: hex('5'), bytes: 6 },
  usage: { total_tokens: 5, details: { cached: 1 } },
}
const failed: OutcomeEvent = {
  type: 'outcome',
  version: 2,
  startedAt: null,
  jobId: hex('1'),
  keyHash: 'k'.repeat(43),
  finishedAt: 1_790_000_001_000,
  kind: 'failed',
  code: 'provider_overloaded',
  message: 'The model is overloaded.',
  retryAfterS: 10,
}
const commit: CommitEvent = {
  type: 'commit',
  version: 1,
  jobId: hex('1'),
  receiptId: uuid,
  requestId: uuid,
  endpoint: '/v1/messages',
  model: 'gm-2.5-flash',
  catalogVersion: '2026-11-21.0a1b2c3d',
  amountAtomic: '2000',
  payer: address,
  transaction: `0x${hex('6')}`,
  committedAt: 1_790_000_002_000,
}

const decode = (value: unknown) => jobCodec.decode(Buffer.from(JSON.stringify(value)))

describe('events', () => {
  it('come back as they went', () => {
    expect(jobCodec.decode(jobCodec.encode(job))).toEqual({ ok: true, event: job })
    for (const outcome of [
      succeeded,
      failed,
      { ...failed, kind: 'refused', code: 'content_blocked' } as const,
      { ...failed, kind: 'ambiguous' } as const,
    ]) {
      expect(outcomeCodec.decode(outcomeCodec.encode(outcome, 'current'))).toEqual({ ok: true, event: outcome })
    }
    expect(commitCodec.decode(commitCodec.encode(commit))).toEqual({ ok: true, event: commit })
  })

  it('may carry fields that this version does not know', () => {
    expect(decode({ ...job, later: 'addition' })).toMatchObject({ ok: true })
  })

  it.each([
    ['the type of another event', { ...job, type: 'outcome' }, 'type'],
    ['another version', { ...job, version: 2 }, 'version'],
    ['no field', {}, 'required'],
    ['a payer in mixed case', { ...job, payer: `0x${'A'.repeat(40)}` }, 'payer'],
    ['a nonce in mixed case', { ...job, nonce: `0x${'A'.repeat(64)}` }, 'nonce'],
    ['an amount below zero', { ...job, amountAtomic: '-1' }, 'amountAtomic'],
    ['an amount that is a number', { ...job, amountAtomic: 2000 }, 'amountAtomic'],
    ['an endpoint of nobody', { ...job, endpoint: '/v1/other' }, 'endpoint'],
    ['no payment', { ...job, payment: undefined }, 'payment'],
    ['content of neither form', { ...job, request: {} }, 'request'],
    ['a claim check without a digest', { ...job, request: { ref: 'x', bytes: 1 } }, 'request'],
    ['a fraction of a millisecond', { ...job, deadline: 1.5 }, 'deadline'],
    ['a floating price input', { ...job, priceInputs: { rate: 0.1 } }, 'priceInputs'],
    ['an array', [job], 'object'],
    ['null', null, 'object'],
  ])('are refused with %s, and the reason says where', (_what, value, where) => {
    expect(decode(value)).toEqual({ ok: false, reason: expect.stringContaining(where) })
  })

  it.each([
    ['success without a result', { ...succeeded, result: undefined }],
    ['failure without a code', { ...failed, code: undefined }],
    ['failure with a code of no outcome', { ...failed, code: 'payment_required' }],
    ['a kind of nobody', { ...failed, kind: 'maybe' }],
    ['a message without end', { ...failed, message: 'x'.repeat(501) }],
    ['an hour and more to wait', { ...failed, retryAfterS: 3601 }],
  ])('outcomes are refused: %s', (_what, value) => {
    expect(outcomeCodec.decode(Buffer.from(JSON.stringify(value)))).toMatchObject({ ok: false })
  })

  it.each(['', 'not json', '{"type":"job"', '\u0000', '[', '{}{}'])('are refused when they are not JSON: %j', (text) => {
    expect(jobCodec.decode(Buffer.from(text))).toEqual({ ok: false, reason: 'not JSON' })
  })

  it('are refused without their content, and in a few words', () => {
    const secret = 'the-prompt-of-somebody'
    const foreign: unknown[] = [
      { ...job, payer: secret },
      { ...job, model: secret.repeat(100) },
      { ...job, request: secret },
      { ...job, request: { ref: secret, sha256: secret, bytes: 1 } },
      { ...job, priceInputs: { [secret]: {} } },
      { ...job, priceInputs: { [secret.repeat(10_000)]: {} } },
      { ...job, endpoint: secret },
      { [secret]: secret },
      secret,
    ]
    for (const codec of [jobCodec, outcomeCodec, commitCodec]) {
      for (const value of foreign) {
        const decoded = codec.decode(Buffer.from(JSON.stringify(value)))
        expect(decoded.ok).toBe(false)
        expect(JSON.stringify(decoded)).not.toContain(secret)
        expect(JSON.stringify(decoded).length).toBeLessThan(500)
      }
      expect(JSON.stringify(codec.decode(Buffer.from(`{"${secret}`)))).not.toContain(secret)
    }
  })

  it('of ours that break their schema are never sent', () => {
    expect(() => jobCodec.encode({ ...job, payer: '0xABC' })).toThrow(/payer/)
    expect(() => jobCodec.encode({ ...job, priceInputs: { rate: 0.5 } })).toThrow(TypeError)
    for (const schema of EVENT_SCHEMAS) {
      expect(() => outcomeCodec.encode({ ...failed, message: 'x'.repeat(501) }, schema)).toThrow(TypeError)
    }
  })
})

describe('an event with two schemas', () => {
  const { startedAt: _, ...withoutStart } = succeeded
  const asBefore = { ...withoutStart, version: 1 }

  it('is written as the release before reads it, which refuses any other version', () => {
    const written = JSON.parse(outcomeCodec.encode(succeeded, 'previous').toString('utf8'))
    expect(written).toEqual(asBefore)
    expect(outcomeCodec.versionOf('previous')).toBe(1)
    expect(outcomeCodec.versionOf('current')).toBe(2)
  })

  it('is read in both, what the older one does not tell as unknown', () => {
    const decoded = outcomeCodec.decode(Buffer.from(JSON.stringify(asBefore)))
    expect(decoded).toEqual({ ok: true, event: { ...succeeded, startedAt: null } })
  })

  it.each([
    ['a version to come', { ...succeeded, version: 3 }],
    ['no version', { ...succeeded, version: undefined }],
    ['the older version with a broken field', { ...asBefore, keyHash: 'short' }],
    ['the newer version without what it added', { ...withoutStart, version: 2 }],
  ])('is refused with %s', (_what, value) => {
    expect(outcomeCodec.decode(Buffer.from(JSON.stringify(value)))).toMatchObject({ ok: false })
  })
})
