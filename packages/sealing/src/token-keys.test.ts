import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openTokenKeys, tokenFor, tokenKeyOf, tokenMatches } from './index.ts'

const key = () => randomBytes(32).toString('base64')
const [first, second, third] = [key(), key(), key()]
const at = (time: string) => Date.parse(time) / 1000
const BEFORE = at('2026-11-30T00:00:00Z')
const AFTER = at('2026-12-02T00:00:00Z')
const token = (text: string, createdS: number | undefined) => {
  const keys = openTokenKeys(text)
  return tokenFor(keys, 'receipt-1', tokenKeyOf(keys, createdS))
}

describe('a token', () => {
  const original = `r1:${first}`
  const rotated = `r2@2026-12-01T12:00:00Z:${second},${original}`

  it('is the same again after a rotation, and after another', () => {
    const given = token(original, BEFORE)
    expect(token(rotated, BEFORE)).toBe(given)
    expect(token(`r3@2027-01-01T00:00Z:${third},${rotated}`, BEFORE)).toBe(given)
  })

  it('of what came later is of the new key, from its first second on', () => {
    for (const createdS of [AFTER, at('2026-12-01T12:00:00Z')]) expect(token(rotated, createdS)).toMatch(/^r2\./)
    expect(token(rotated, at('2026-12-01T11:59:59Z'))).toMatch(/^r1\./)
  })

  it('matches whichever key of the ring it is of', () => {
    const keys = openTokenKeys(rotated)
    for (const createdS of [BEFORE, AFTER]) expect(tokenMatches(keys, 'receipt-1', token(rotated, createdS))).toBe(true)
  })

  it('is of the newest key where that of its time was removed, or its time is not known', () => {
    expect(token(`r2@2026-12-01T12:00:00Z:${second}`, BEFORE)).toMatch(/^r2\./)
    expect(token(rotated, undefined)).toMatch(/^r2\./)
  })
})

it.each([
  ['a key that is not the last and says no time', `r2:${second},r1:${first}`, 'key 1 must say since when'],
  [
    'an order that is not that of the times',
    `r2@2026-01-01T00:00Z:${second},r1@2026-01-01T00:00Z:${first}`,
    'key 2 is not older',
  ],
  ['a time that is none', `r2@tomorrow:${second},r1:${first}`, 'key 1 does not say since when'],
  ['a month that is none', `r2@2026-13-01T00:00Z:${second},r1:${first}`, 'key 1 does not say since when'],
  ['a key that is too short', `r2@2026-01-01T00:00Z:c2VjcmV0,r1:${first}`, 'key 1 is not "id:base64"'],
])('refuses %s, without printing keys', (_what, text, sentence) => {
  expect(() => openTokenKeys(text)).toThrow(sentence)
  expect(() => openTokenKeys(text)).not.toThrow(new RegExp(`c2VjcmV0|${first.slice(0, 8).replaceAll('+', '.')}`))
})
