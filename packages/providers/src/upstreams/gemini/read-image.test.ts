import { describe, expect, it } from 'vitest'
import { fixture } from './fixture.ts'
import { readImage } from './read-image.ts'

const PNG = Buffer.from('not really a picture')
const part = (data: Buffer, more: object = {}) => ({
  inlineData: { mimeType: 'image/png', data: data.toString('base64') },
  ...more,
})
const answer = (parts: object[] | undefined, finishReason: string | undefined = 'STOP') =>
  Buffer.from(
    JSON.stringify({
      candidates: [{ content: parts === undefined ? { role: 'model' } : { role: 'model', parts }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 1_126, thoughtsTokenCount: 80, totalTokenCount: 1_212 },
      modelVersion: 'gemini-3.1-flash-lite-image',
    }),
  )
const BLOCKED = { kind: 'refused', code: 'content_blocked', reason: 'blocked' }

describe('an image', () => {
  it.each(['image/png', 'image/jpeg'])('of %s is the bytes as they came, with the tokens it took', (mimeType) => {
    const body = answer([{ inlineData: { mimeType, data: PNG.toString('base64') } }])
    expect(readImage(body)).toEqual({
      kind: 'succeeded',
      value: { bytes: PNG, usage: { inputTokens: 6, cachedInputTokens: 0, outputTokens: 1_206, reasoningTokens: 80 } },
    })
  })

  it('is the first that is not a thought, whatever is said around it', () => {
    const body = answer([
      part(Buffer.from('a sketch'), { thought: true }),
      { text: 'Here is your image.' },
      part(PNG, { thoughtSignature: 'c2ln' }),
      part(Buffer.from('another')),
    ])
    expect(readImage(body)).toMatchObject({ kind: 'succeeded', value: { bytes: PNG } })
  })
})

describe('no image', () => {
  it.each(
    [
      ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
      ['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'IMAGE_OTHER', 'NO_IMAGE'],
    ].flat(),
  )('because of %s is a refusal', (finishReason) => {
    expect(readImage(answer(undefined, finishReason))).toEqual(BLOCKED)
    expect(readImage(answer([part(PNG)], finishReason))).toEqual(BLOCKED)
  })

  it('because the prompt was blocked, or in words, is a refusal', () => {
    expect(readImage(fixture('blocked-prompt'))).toEqual(BLOCKED)
    expect(readImage(answer([{ text: 'I cannot draw that.' }]))).toEqual(BLOCKED)
  })

  it.each<[string, Buffer, string]>([
    ['an empty answer', answer([]), 'no_content'],
    ['only a thought', answer([part(PNG, { thought: true }), { text: 'hm', thought: true }]), 'no_content'],
    ['an image of no bytes', answer([part(Buffer.alloc(0))]), 'no_content'],
    ['no candidate', Buffer.from('{"usageMetadata":{"promptTokenCount":6}}'), 'no_content'],
    ['the end of the tokens', answer([{ text: 'Here' }], 'MAX_TOKENS'), 'unusable_stop'],
    ['a reason nobody knows', answer(undefined, 'SOMETHING_NEW'), 'unusable_stop'],
    ['another kind of file', answer([{ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }]), 'no_content'],
  ])('from %s was executed and is of no use', (_title, body, reason) => {
    expect(readImage(body)).toMatchObject({ kind: 'failed', code: 'provider_unusable_answer', executed: true, reason })
  })

  it.each(['{"candidates": [{', '<html></html>', '{"candidates":[{"content":{"parts":[{"inlineData":{"data":5}}]}}]}'])(
    'in what is not an answer of this API is ambiguous: %s',
    (body) => {
      expect(readImage(Buffer.from(body))).toMatchObject({ kind: 'ambiguous', reason: 'invalid_body' })
    },
  )
})
