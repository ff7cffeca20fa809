import { describe, expect, it } from 'vitest'
import { describeError } from './logger.ts'

describe('describeError', () => {
  it('keeps the name, the code and the first line, and no more of a long message', () => {
    const error = Object.assign(
      new Error('HTTP request failed.\nURL: https://rpc.example/v2/api-key\nRequest body: {"params":["0xsecret"]}'),
      { code: 'E1' },
    )
    const described = describeError(error)
    expect(described).toMatchObject({ name: 'Error', message: 'HTTP request failed.', code: 'E1' })
    expect(JSON.stringify(described)).not.toMatch(/api-key|0xsecret/)
    expect(described.stack).toMatch(/^ {4}at /)
  })

  it('leaves out URLs, signatures and encoded payloads, in causes too', () => {
    const signature = `0x${'ab'.repeat(65)}`
    const error = new Error(`cannot reach postgres://user:hunter2@db:5432/x with ${signature}`, {
      cause: new Error(`body was ${'QUJD'.repeat(30)}`),
    })
    const text = JSON.stringify(describeError(error))
    expect(text).toContain('cannot reach [url] with [hex]')
    expect(text).toContain('body was [data]')
    expect(text).not.toMatch(/hunter2|abab|QUJD/)
  })

  it('prefers the short message of a library that has one, and says nothing of what is no error', () => {
    expect(describeError(Object.assign(new Error('long\nlong'), { shortMessage: 'short' })).message).toBe('short')
    expect(describeError({ token: 'hunter2' })).toEqual({ name: 'NonError', message: 'object' })
  })
})
