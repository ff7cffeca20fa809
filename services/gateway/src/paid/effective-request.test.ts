import { catalogOf } from '@turnpike/catalog'
import { type ErrorCode, fingerprintOf, keyHashOf } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { chatCompletions } from '../endpoints/chat-completions.ts'
import { type IncomingRequest, maxTimeoutSeconds, readEffectiveRequest } from './effective-request.ts'

const deps = { catalog: catalogOf(['gm-2.5-flash'], ['/v1/chat/completions']), providerTimeoutMs: undefined }
const complete = { model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }

type Defects = {
  type?: boolean
  json?: boolean
  missing?: boolean
  value?: boolean
  model?: boolean
  key?: 'none' | 'bad'
  context?: boolean
  payment?: boolean
}

function incoming(fields: Partial<IncomingRequest> = {}, body: unknown = complete): IncomingRequest {
  return {
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(body)),
    idempotencyKey: 'a-key',
    paymentSignature: undefined,
    ...fields,
  }
}

function read(request: IncomingRequest) {
  return readEffectiveRequest(deps, chatCompletions, request)
}

/** The error code of the answer; `inspection` for that challenge, `ok` when there is none. */
function verdict(request: IncomingRequest): ErrorCode | 'ok' {
  const result = read(request)
  if (result.ok) return 'ok'
  if (result.answer.kind === 'problem') return result.answer.problem.code
  return result.answer.kind === 'challenge' ? result.answer.reason : 'internal_error'
}

/** A request with all of these defects at once. */
function defective({ type, json, missing, value, model, key, context, payment }: Defects): IncomingRequest {
  const body: Record<string, unknown> = {
    model: model ? 'gpt-x' : complete.model,
    messages: context ? [{ role: 'user', content: '1'.repeat(1_048_577) }] : complete.messages,
    ...(value ? { max_tokens: 0 } : {}),
  }
  if (missing) delete body.messages
  const text = JSON.stringify(body)
  return {
    contentType: type ? 'text/plain' : 'application/json',
    body: Buffer.from(json ? text.slice(0, -1) : text),
    idempotencyKey: key === 'none' ? undefined : key === 'bad' ? 'ключ' : 'a-key',
    paymentSignature: payment ? 'not a payment' : undefined,
  }
}

describe('a request with many defects', () => {
  // Each row has every defect of the rows below it: the first check that fails answers.
  it.each<[ErrorCode | 'ok', Defects]>([
    ['unsupported_media_type', { type: true, json: true, missing: true, value: true, model: true, key: 'none', context: true }],
    ['inspection', { json: true, missing: true, value: true, model: true, key: 'none', context: true }],
    ['inspection', { missing: true, value: true, model: true, key: 'none' }],
    ['invalid_value', { value: true, model: true, key: 'none', context: true }],
    ['model_not_available', { model: true, key: 'none', context: true }],
    ['idempotency_key_required', { key: 'none', context: true }],
    ['idempotency_key_invalid', { key: 'bad', context: true }],
    ['context_length_exceeded', { context: true }],
    ['ok', {}],
  ])('unsigned is answered %s by the first check that fails', (code, defects) => {
    expect(verdict(defective(defects))).toBe(code)
  })

  it.each<[ErrorCode, Defects]>([
    ['unsupported_media_type', { type: true, json: true, missing: true, value: true, model: true, key: 'none', context: true }],
    ['invalid_json', { json: true, missing: true, value: true, model: true, key: 'none', context: true }],
    ['missing_required_field', { missing: true, value: true, model: true, key: 'none' }],
    ['invalid_value', { value: true, model: true, key: 'none', context: true }],
    ['model_not_available', { model: true, key: 'none', context: true }],
    ['idempotency_key_required', { key: 'none', context: true }],
    ['idempotency_key_invalid', { key: 'bad', context: true }],
    ['context_length_exceeded', { context: true }],
    ['payment_header_malformed', {}],
  ])('signed is answered %s, never by a challenge', (code, defects) => {
    expect(verdict(defective({ ...defects, payment: true }))).toBe(code)
  })
})

describe('an inspection challenge', () => {
  it.each([
    ['nothing, without a type', incoming({ contentType: undefined, body: Buffer.alloc(0) })],
    ['nothing, as JSON', incoming({ body: Buffer.alloc(0) })],
    ['an empty object', incoming({}, {})],
    ['an array', incoming({}, [])],
    ['null', incoming({}, null)],
    ['half of a body', incoming({ body: Buffer.from('{"model":') })],
    ['bytes that are no text', incoming({ body: Buffer.from([0xff, 0xfe]) })],
    ['a message without content', incoming({}, { ...complete, messages: [{ role: 'user' }] })],
  ])('answers %s, at the minimum price, with or without a key', (_what, request) => {
    for (const each of [request, { ...request, idempotencyKey: undefined }]) {
      expect(read(each)).toMatchObject({
        ok: false,
        answer: {
          kind: 'challenge',
          reason: 'inspection',
          challenge: { type: 'inspection', amountAtomic: 2_000n, maxTimeoutSeconds: 300 },
        },
      })
    }
  })

  it('does not answer a body without a type', () => {
    expect(verdict(incoming({ contentType: undefined }))).toBe('unsupported_media_type')
  })
})

describe('a complete request', () => {
  it('becomes its fingerprint, price, deadline and key hash', () => {
    const result = read(incoming())
    if (!result.ok) throw new Error('refused')
    const { request } = result
    const effective = { ...complete, max_tokens: 512, stream: false }
    expect(JSON.parse(request.canonicalBody)).toEqual(effective)
    expect(request).toMatchObject({
      endpoint: '/v1/chat/completions',
      model: 'gm-2.5-flash',
      keyHash: keyHashOf('a-key'),
      fingerprint: fingerprintOf('/v1/chat/completions', effective),
      price: { amountAtomic: 2_000n },
      deadlineMs: 64_000,
      maxTimeoutSeconds: 300,
      payment: undefined,
    })
    expect(JSON.stringify(request, (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('a-key')
  })

  it('is worked on within the ceiling of its deadline, which operators may shorten for trying, but is signed for the published one', () => {
    const large = incoming({}, { ...complete, max_tokens: 65_536 })
    const result = read(large)
    expect(result).toMatchObject({ ok: true, request: { deadlineMs: 497_000, maxTimeoutSeconds: 617 } })
    expect(readEffectiveRequest({ ...deps, providerTimeoutMs: 1_000 }, chatCompletions, large)).toMatchObject({
      ok: true,
      request: { deadlineMs: 1_000, maxTimeoutSeconds: 617 },
    })
    expect([0, 180_000, 180_001].map(maxTimeoutSeconds)).toEqual([300, 300, 301])
  })

  it.each(['a', '!', '~', 'x'.repeat(255), '"quoted"', '{}'])('takes the key %j', (idempotencyKey) => {
    expect(verdict(incoming({ idempotencyKey }))).toBe('ok')
  })

  it.each([' ', 'a b', 'a\tb', 'a\n', 'x'.repeat(256), 'ä', '\u0000', '\u007f'])('refuses the key %j', (idempotencyKey) => {
    expect(verdict(incoming({ idempotencyKey }))).toBe('idempotency_key_invalid')
  })

  it('takes an empty key for none', () => {
    expect(verdict(incoming({ idempotencyKey: '' }))).toBe('idempotency_key_required')
  })

  it.each(['gm-2.5-pro', 'gpt-x', 'gm-3.1-flash-lite-image', 'constructor', '__proto__', ''])(
    'for the model %j is refused: unknown and switched off are one',
    (model) => {
      expect(verdict(incoming({}, { ...complete, model }))).toBe('model_not_available')
    },
  )

  it.each([
    ['a lone surrogate', '{"model":"gm-2.5-flash","messages":[{"role":"user","content":"\\ud800"}]}'],
    ['a lone surrogate in a name', '{"\\udc00":1,"model":"gm-2.5-flash","messages":[{"role":"user","content":"x"}]}'],
    ['a number beyond all numbers', '{"x":1e999,"model":"gm-2.5-flash","messages":[{"role":"user","content":"x"}]}'],
    [
      'brackets without end',
      `{"x":${'['.repeat(200)}${']'.repeat(200)},"model":"gm-2.5-flash","messages":[{"role":"user","content":"x"}]}`,
    ],
    ['a million values', `{"x":[${'1,'.repeat(1_000_000)}1],"model":"gm-2.5-flash","messages":[{"role":"user","content":"x"}]}`],
  ])('with %s is a 400, signed or not', (_what, text) => {
    for (const paymentSignature of [undefined, 'x'])
      expect(verdict(incoming({ body: Buffer.from(text), paymentSignature }))).toBe('invalid_value')
  })

  it('with a payment header that is empty or garbage is a 400', () => {
    for (const paymentSignature of ['', 'x', 'e30=', Buffer.from('{"x402Version":1}').toString('base64')]) {
      expect(verdict(incoming({ paymentSignature }))).toBe('payment_header_malformed')
    }
  })
})
