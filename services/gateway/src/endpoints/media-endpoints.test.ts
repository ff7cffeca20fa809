import { catalogOf } from '@turnpike/catalog'
import { MODELS, PAID_ENDPOINTS } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { type IncomingRequest, readEffectiveRequest } from '../paid/effective-request.ts'
import { imagesGenerations } from './images-generations.ts'
import { speech } from './speech.ts'

const deps = { catalog: catalogOf(MODELS, PAID_ENDPOINTS), providerTimeoutMs: undefined }
const textOnly = { catalog: catalogOf(['gm-2.5-flash'], PAID_ENDPOINTS), providerTimeoutMs: undefined }
const image = { model: 'gm-3.1-flash-lite-image', prompt: 'A red fox' }
const words = { model: 'el/flash-v2.5', input: 'Good morning.' }

function read(
  endpoint: typeof imagesGenerations | typeof speech,
  body: unknown,
  fields: Partial<IncomingRequest> = {},
  on = deps,
) {
  const incoming = {
    contentType: 'application/json',
    body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body)),
    idempotencyKey: 'a-key',
    paymentSignature: undefined,
    ...fields,
  }
  // Each endpoint takes its own requests; the two differ in their type parameter alone.
  return readEffectiveRequest(on, endpoint as typeof imagesGenerations, incoming)
}

function effective(...request: Parameters<typeof read>) {
  const result = read(...request)
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.answer)}`)
  return result.request
}

function refusal(...request: Parameters<typeof read>) {
  const result = read(...request)
  if (result.ok) throw new Error('taken')
  const { answer } = result
  if (answer.kind === 'challenge')
    return { code: answer.reason, amountAtomic: answer.challenge.amountAtomic, message: answer.message }
  return answer.kind === 'problem' ? { code: answer.problem.code, param: answer.problem.param } : { code: answer.kind }
}

describe('POST /v1/images/generations', () => {
  it('costs 0.035, has 120 s, and its payment lives 300', () => {
    expect(effective(imagesGenerations, image)).toMatchObject({
      price: { amountAtomic: 35_000n },
      deadlineMs: 120_000,
      maxTimeoutSeconds: 300,
      model: image.model,
    })
  })

  it('is one effective request, however its defaults are spelled', () => {
    const { fingerprint, canonicalBody } = effective(imagesGenerations, image)
    expect(effective(imagesGenerations, { ...image, size: '1024x1024' }).fingerprint).toBe(fingerprint)
    expect(effective(imagesGenerations, { ...image, image_size: '1K', aspect_ratio: '1:1', n: 1 }).fingerprint).toBe(fingerprint)
    expect(effective(imagesGenerations, { ...image, response_format: 'b64_json' }).fingerprint).not.toBe(fingerprint)
    expect(JSON.parse(canonicalBody)).toEqual({ ...image, n: 1, image_size: '1K', aspect_ratio: '1:1', response_format: 'url' })
  })

  it('asks 0.035 for an inspection of what is empty, malformed or incomplete', () => {
    for (const body of ['', '{', '[]', '{}', { model: image.model }, { prompt: 'x' }])
      expect(refusal(imagesGenerations, body)).toMatchObject({ code: 'inspection', amountAtomic: 35_000n })
  })
})

describe('POST /v1/audio/speech', () => {
  it('costs its characters, at least 0.002, and has 120 s', () => {
    expect(effective(speech, words)).toMatchObject({
      price: { amountAtomic: 2_867n, inputs: { characters: 13 } },
      deadlineMs: 120_000,
    })
    expect(effective(speech, { ...words, input: 'x' }).price.amountAtomic).toBe(2_000n)
    expect(effective(speech, { ...words, input: '🦊'.repeat(2_000) }).price.amountAtomic).toBe(441_000n)
  })

  it('is one effective request, however its defaults are spelled', () => {
    const { fingerprint } = effective(speech, words)
    expect(effective(speech, { ...words, voice: 'darian', speed: 1, response_format: 'mp3' }).fingerprint).toBe(fingerprint)
    expect(effective(speech, '{"speed":1.0,"model":"el/flash-v2.5","input":"Good morning."}').fingerprint).toBe(fingerprint)
    expect(effective(speech, { ...words, speed: 1.001 }).fingerprint).not.toBe(fingerprint)
    expect(effective(speech, { ...words, voice: 'bella' }).fingerprint).not.toBe(fingerprint)
  })

  it('asks 0.002 for an inspection', () => {
    expect(refusal(speech, { model: words.model })).toMatchObject({ code: 'inspection', amountAtomic: 2_000n })
  })
})

describe.each([
  ['images', imagesGenerations, image],
  ['speech', speech, words],
] as const)('a defect of a request for %s', (_what, endpoint, body) => {
  it('is named, signed or not', () => {
    for (const paymentSignature of [undefined, 'signed']) {
      expect(refusal(endpoint, { ...body, extra: 1 }, { paymentSignature })).toEqual({
        code: 'unsupported_field',
        param: 'extra',
      })
      expect(refusal(endpoint, { ...body, response_format: 'wav' }, { paymentSignature })).toEqual({
        code: 'invalid_value',
        param: 'response_format',
      })
      expect(refusal(endpoint, body, { paymentSignature, contentType: 'text/plain' })).toMatchObject({
        code: 'unsupported_media_type',
      })
      expect(refusal(endpoint, body, { paymentSignature, idempotencyKey: undefined })).toMatchObject({
        code: 'idempotency_key_required',
      })
    }
  })

  it('that makes it incomplete is a 400 with a payment', () => {
    expect(refusal(endpoint, { model: body.model }, { paymentSignature: 'signed' })).toMatchObject({
      code: 'missing_required_field',
    })
    expect(refusal(endpoint, '{', { paymentSignature: 'signed' })).toMatchObject({ code: 'invalid_json' })
  })

  it('may be its model: unknown, of another endpoint, or switched off', () => {
    for (const model of ['gpt-image-1', 'gm-2.5-flash', 'el/scribe-v2', '']) {
      expect(refusal(endpoint, { ...body, model })).toEqual({ code: 'model_not_available', param: 'model' })
    }
    expect(refusal(endpoint, body, {}, textOnly)).toEqual({ code: 'model_not_available', param: 'model' })
  })

  it('may be text that JSON cannot hold', () => {
    const field = 'prompt' in body ? 'prompt' : 'input'
    expect(refusal(endpoint, `{"model":"${body.model}","${field}":"\\ud800"}`)).toMatchObject({ code: 'invalid_value' })
  })

  it('is not asked for more than 64 KiB', () => {
    expect(endpoint.maxBytes).toBe(65_536)
  })
})
