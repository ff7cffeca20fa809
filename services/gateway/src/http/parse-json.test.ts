import { describe, expect, it } from 'vitest'
import { JSON_LIMITS, parseJson } from './parse-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const list = (values: number) => `[${Array(values).fill('1').join(',')}]`

describe('a JSON body', () => {
  it.each([
    '{}',
    '[]',
    '"x"',
    '1',
    'null',
    ' {"a" : [1, "b,[{"]} ',
    '{"a":"\\"[[,,"}',
    '{"a":"\\\\","b":"\\\\\\""}',
    '\ufeff{}',
    '"€😀"',
  ])('is read: %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text.replace('\ufeff', '')) })
  })

  it.each(['', ' ', '{', '{"a":}', '"open', '"open\\"', ']', '}'.repeat(1_000), 'undefined', "{'a':1}", '{"a":1,}', '{}{}'])(
    'is not JSON: %j',
    (text) => {
      expect(parse(text)).toEqual({ ok: false, defect: 'not_json' })
    },
  )

  it('is not JSON when it is not UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xff, 0xfe, 0x7b, 0x00],
    ]) {
      expect(parseJson(Buffer.from(bytes))).toEqual({ ok: false, defect: 'not_json' })
    }
  })

  it('is taken up to its limits and refused beyond', () => {
    expect(parse(nested(JSON_LIMITS.maxDepth)).ok).toBe(true)
    expect(parse(nested(JSON_LIMITS.maxDepth + 1))).toEqual({ ok: false, defect: 'too_complex' })
    expect(parse(list(JSON_LIMITS.maxValues - 1)).ok).toBe(true)
    expect(parse(list(JSON_LIMITS.maxValues + 1))).toEqual({ ok: false, defect: 'too_complex' })
    expect(parse(`[${Array(JSON_LIMITS.maxValues).fill('{}').join(',')}]`)).toEqual({ ok: false, defect: 'too_complex' })
  })

  it('of brackets without end is refused, closed or not', () => {
    for (const unit of ['[', '{"a":', '[{"a":', '[1,', '[],'])
      expect(parse(unit.repeat(1_000_000)), unit).toEqual({ ok: false, defect: 'too_complex' })
  })

  it('may hold any amount of text: what stands in strings counts nothing', () => {
    const text = JSON.stringify({ text: '[{,'.repeat(2_000_000), quotes: '\\"'.repeat(500_000) })
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })
})
