import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonical, fingerprintOf, jobIdOf, keyHashOf } from './canonical.ts'

describe('canonical JSON', () => {
  it('is RFC 8785: sorted members, shortest numbers, literal characters', () => {
    // The example of RFC 8785, section 3.2.2.
    const text =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}'
    expect(canonical(JSON.parse(text))).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    expect(canonical({ '\ud83d\ude00': 1, '\ufb33': 2, '€': 3, '1': 4, '10': 5, '2': 6 })).toBe(
      '{"1":4,"10":5,"2":6,"€":3,"\ud83d\ude00":1,"\ufb33":2}',
    )
    expect(canonical(-0)).toBe('0')
  })

  it('keeps members that share a name with what objects inherit', () => {
    expect(canonical(JSON.parse('{"toString":1,"__proto__":{"b":1},"constructor":2}'))).toBe(
      '{"__proto__":{"b":1},"constructor":2,"toString":1}',
    )
  })

  it.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [{ a: '\udc00' }], [{ '\ud800': 1 }], [() => 1]])(
    'refuses what JSON cannot hold: %o',
    (value) => {
      expect(() => canonical(value)).toThrow(Error)
    },
  )

  it('survives nesting that a stranger can send', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(canonical(JSON.parse(deep))).toBe(deep)
  })
})

describe('identities', () => {
  const claim = { keyHash: keyHashOf('key'), payer: '0xAb', nonce: '0xCd', attempt: 0 }

  it('of a request are the SHA-256 of endpoint and body', () => {
    expect(fingerprintOf('/v1/messages', { b: 1, a: [2] })).toBe(
      createHash('sha256').update('{"body":{"a":[2],"b":1},"endpoint":"/v1/messages"}').digest('hex'),
    )
  })

  it('of a key are 43 characters that do not hold the key', () => {
    expect(keyHashOf('key')).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(keyHashOf('key')).toBe(keyHashOf('key'))
    expect(keyHashOf('key')).not.toBe(keyHashOf('Key'))
    expect(keyHashOf('key')).not.toBe(createHash('sha256').update('key').digest('base64url'))
  })

  it('of a job are the same however payer and nonce are spelled', () => {
    expect(jobIdOf(claim)).toMatch(/^[0-9a-f]{64}$/)
    expect(jobIdOf({ ...claim, payer: '0xaB', nonce: '0xcD' })).toBe(jobIdOf(claim))
  })

  it('of a job are others for another key, payer, nonce or attempt', () => {
    const others = [
      { ...claim, keyHash: keyHashOf('k') },
      { ...claim, payer: '0xac' },
      { ...claim, nonce: '0xce' },
      { ...claim, attempt: 1 },
    ]
    expect(new Set([claim, ...others].map(jobIdOf)).size).toBe(5)
  })
})
