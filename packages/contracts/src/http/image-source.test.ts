import { describe, expect, it } from 'vitest'
import { base64ImageProblem, checkHttpsUrl, checkImageUrl, imageBudget, imageOfUrl } from './image-source.ts'
import { GIF, JPEG_BASELINE, PNG_2x3 } from './testing/small-images.ts'

const check = (url: string) => checkImageUrl(url, 'at', imageBudget())

describe('the URL of an image', () => {
  it.each([
    [`data:image/png;base64,${PNG_2x3}`, `data:image/png;base64,${PNG_2x3}`],
    [`data:image/jpg;base64,${JPEG_BASELINE}`, `data:image/jpeg;base64,${JPEG_BASELINE}`],
    ['https://example.test', 'https://example.test/'],
    ['https://example.test:8443/a?b=c#d', 'https://example.test:8443/a?b=c#d'],
    ['https://[2001:db8::1]/', 'https://[2001:db8::1]/'],
  ])('may be %s', (url, value) => {
    expect(check(url)).toEqual({ ok: true, value })
  })

  it.each([
    ['nothing', '', 'invalid_value'],
    ['a path', '/a.png', 'invalid_value'],
    ['no host', 'https://', 'invalid_value'],
    ['http', 'http://example.test/', 'unsupported_value'],
    ['a file', 'file:///etc/passwd', 'unsupported_value'],
    ['a bucket', 'gs://bucket/a.png', 'unsupported_value'],
    ['a blob', 'blob:https://example.test/1', 'unsupported_value'],
    ['a script', 'javascript:1', 'unsupported_value'],
    ['a user name', 'https://user@example.test/', 'invalid_value'],
    ['a password', 'https://:pass@example.test/', 'invalid_value'],
    ['8193 characters', `https://example.test/${'a'.repeat(8_172)}`, 'invalid_value'],
    ['data that is no Base64', 'data:image/png,hello', 'invalid_value'],
    ['data with parameters', `data:image/png;charset=utf-8;base64,${PNG_2x3}`, 'invalid_value'],
    ['no data', 'data:image/png;base64,', 'invalid_value'],
    ['data with a line break', `data:image/png;base64,${PNG_2x3.slice(0, 40)}\n${PNG_2x3.slice(40)}`, 'invalid_value'],
    ['data without padding', `data:image/png;base64,${PNG_2x3.replaceAll('=', '')}`, 'invalid_value'],
    ['data in the other alphabet', `data:image/jpeg;base64,${JPEG_BASELINE.replaceAll('/', '_')}`, 'invalid_value'],
    ['data with stray bits', `data:image/png;base64,${PNG_2x3.replace('gg==', 'gh==')}`, 'invalid_value'],
    ['data of text', `data:image/png;base64,${Buffer.from('hello').toString('base64')}`, 'invalid_value'],
    ['data of another type than it says', `data:image/jpeg;base64,${PNG_2x3}`, 'invalid_value'],
    ['data of no type', `data:;base64,${PNG_2x3}`, 'invalid_value'],
    ['a GIF', `data:image/gif;base64,${GIF}`, 'unsupported_value'],
  ])('may not be %s', (_what, url, code) => {
    const checked = check(url)
    expect(checked).toMatchObject({ ok: false, problem: { kind: 'invalid', code, param: 'at' } })
    if (url.length > 20) expect(JSON.stringify(checked)).not.toContain(url.slice(-20))
  })

  it('is only https where Anthropic takes a URL', () => {
    expect(checkHttpsUrl(`data:image/png;base64,${PNG_2x3}`, 'at', imageBudget())).toMatchObject({ ok: false })
  })
})

describe('an image in Base64', () => {
  it('names the type and the data apart', () => {
    const problem = (mimeType: string, data: string) =>
      base64ImageProblem({ mimeType, data }, { type: 'the.type', data: 'the.data' }, imageBudget())?.problem
    expect(problem('image/png', PNG_2x3)).toBeUndefined()
    expect(problem('image/webp', PNG_2x3)).toMatchObject({ param: 'the.type', code: 'invalid_value' })
    expect(problem('image/png', `${PNG_2x3}=`)).toMatchObject({ param: 'the.data', code: 'invalid_value' })
    expect(problem('image/gif', GIF)).toMatchObject({ param: 'the.data', code: 'unsupported_value' })
  })
})

it('an image counts by its size, or by its URL', () => {
  expect(imageOfUrl(`data:image/png;base64,${PNG_2x3}`)).toEqual({ widthPx: 2, heightPx: 3 })
  expect(imageOfUrl('https://example.test/')).toBe('by_url')
  expect(() => imageOfUrl('data:image/png;base64,AAAA')).toThrow(TypeError)
})
