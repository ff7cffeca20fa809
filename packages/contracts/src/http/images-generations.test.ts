import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../canonical.ts'
import { parseImageRequest } from './images-generations.ts'

const model = 'gm-3.1-flash-lite-image'
const least = { model, prompt: 'A red fox in the snow' }
const effective = { ...least, n: 1, image_size: '1K', aspect_ratio: '1:1', response_format: 'url' }

function problemOf(body: unknown) {
  const parsed = parseImageRequest(body)
  return parsed.ok ? undefined : parsed.problem
}

describe('an image request', () => {
  it('of the required fields gets every default', () => {
    expect(parseImageRequest(least)).toEqual({ ok: true, value: effective })
  })

  it.each([
    ['all defaults', { n: 1, image_size: '1K', aspect_ratio: '1:1', response_format: 'url' }],
    ['the deprecated size', { size: '1024x1024' }],
    ['the deprecated size beside the fields that it stands for', { size: '1024x1024', image_size: '1K', aspect_ratio: '1:1' }],
  ])('that states %s is the same effective request', (_what, fields) => {
    const parsed = parseImageRequest({ ...fields, ...least })
    expect(parsed).toEqual({ ok: true, value: effective })
    expect(parsed.ok && fingerprintOf('/v1/images/generations', parsed.value)).toBe(
      fingerprintOf('/v1/images/generations', effective),
    )
  })

  it('keeps the response format that it asks for', () => {
    expect(parseImageRequest({ ...least, response_format: 'b64_json' })).toMatchObject({ value: { response_format: 'b64_json' } })
  })

  it.each([
    ['prompt', { model }],
    ['model', { prompt: 'x' }],
    ['prompt', { model: 5, extra: true }],
    ['model', {}],
    ['body', []],
    ['body', null],
    ['body', 'text'],
    ['body', 5],
  ])('is incomplete without its %s', (param, body) => {
    expect(problemOf(body)).toMatchObject({ kind: 'incomplete', param })
  })

  it.each([
    ['model', 7],
    ['model', null],
    ['prompt', ''],
    ['prompt', ['A red fox']],
    ['prompt', 'x'.repeat(4_001)],
    ['prompt', '🦊'.repeat(4_001)],
    ['n', 2],
    ['n', 0],
    ['n', '1'],
    ['n', 1.5],
    ['n', null],
    ['image_size', '2K'],
    ['image_size', '1k'],
    ['aspect_ratio', '16:9'],
    ['size', '512x512'],
    ['size', '1024X1024'],
    ['response_format', 'b64'],
    ['response_format', { type: 'url' }],
  ])('is refused for its %s: %j', (param, value) => {
    expect(problemOf({ ...least, [param]: value })).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it('is refused when size and image_size or aspect_ratio contradict each other', () => {
    expect(problemOf({ ...least, size: '1024x1024', image_size: '2K' })).toMatchObject({ kind: 'invalid', param: 'image_size' })
    expect(problemOf({ ...least, size: '1024x1024', aspect_ratio: '16:9' })).toMatchObject({
      kind: 'invalid',
      param: 'aspect_ratio',
    })
  })

  it.each(['quality', 'style', 'user', 'seed', '__proto__', 'constructor', 'Prompt', ''])('has no field %j', (field) => {
    const body: unknown = JSON.parse(JSON.stringify(least).replace('}', `,${JSON.stringify(field)}:1}`))
    expect(problemOf(body)).toMatchObject({
      kind: 'invalid',
      code: 'unsupported_field',
      message: `${field || 'body'} is not a field of this request.`,
    })
  })

  it('does not repeat a whole novel that came as the name of a field', () => {
    const found = problemOf({ ...least, ['x'.repeat(60_000)]: 1 })
    expect(found?.message.length).toBeLessThan(300)
  })

  it('counts a prompt in code points, to 4000', () => {
    for (const prompt of ['x', 'x'.repeat(4_000), '🦊'.repeat(4_000)]) expect(problemOf({ ...least, prompt })).toBeUndefined()
  })
})
