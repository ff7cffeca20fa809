import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type Ed25519PrivateJwk,
  open,
  openKeyring,
  publicJwk,
  SealBroken,
  seal,
  signDetached,
  tokenFor,
  tokenMatches,
  verifyDetached,
} from './index.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const first = entry('k1')
const ring = openKeyring(first)

describe('seal', () => {
  it('opens what it sealed, for the same use only', () => {
    const sealed = seal(ring, Buffer.from('a prompt'), 'request:1')
    expect(open(ring, sealed, 'request:1').toString()).toBe('a prompt')
    expect(() => open(ring, sealed, 'request:2')).toThrow(SealBroken)
    expect(sealed.includes('a prompt')).toBe(false)
  })

  it('opens in another process that has the ring, and in one that has opened more than it keeps keys for', () => {
    const sealed = seal(ring, Buffer.from('x'), 'u')
    const others = Array.from({ length: 600 }, () => seal(openKeyring(first), Buffer.from('y'), 'u'))
    const reader = openKeyring(first)
    for (const other of [...others, ...others.slice(0, 5)]) expect(open(reader, other, 'u').toString()).toBe('y')
    expect(open(reader, sealed, 'u').toString()).toBe('x')
  })

  it('opens what was sealed with a salt of its own', () => {
    const sealed = Buffer.from('AQJrMQABAgMEBQYHCAkKCwwNDg8AAQIDBAUGBwgJCgvG2b6AXyc1+5qox6AuGTY3AEWfdcYh6gU=', 'base64')
    expect(open(openKeyring(`k1:${Buffer.alloc(32, 7).toString('base64')}`), sealed, 'request:1').toString()).toBe('a prompt')
  })

  it('never gives two seals the same bytes', () => {
    const seals = Array.from({ length: 1_000 }, () => seal(ring, Buffer.from('the same'), 'u').toString('base64'))
    expect(new Set(seals).size).toBe(1_000)
  })

  it('refuses every altered byte and every truncation', () => {
    const sealed = seal(ring, Buffer.from('x'), 'u')
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(() => open(ring, altered, 'u'), `byte ${at}`).toThrow(SealBroken)
      expect(() => open(ring, sealed.subarray(0, at), 'u'), `first ${at} bytes`).toThrow(SealBroken)
    }
  })

  it('opens old contents after a rotation and not after the old key is gone', () => {
    const sealed = seal(ring, Buffer.from('x'), 'u')
    const second = entry('k2')
    expect(open(openKeyring(`${second},${first}`), sealed, 'u').toString()).toBe('x')
    expect(() => open(openKeyring(second), sealed, 'u')).toThrow(SealBroken)
  })

  it('refuses a keyring with a short key, a bad id, a repeated id or nothing, without printing keys', () => {
    for (const text of ['', 'k1', 'k1:AAAA', `bad id:${randomBytes(32).toString('base64')}`, `${first},${first}`]) {
      expect(() => openKeyring(text)).toThrow(/key/)
    }
    expect(() => openKeyring('k1:c2VjcmV0')).not.toThrow(/c2VjcmV0/)
  })
})

describe('capability token', () => {
  it('matches its subject only, across a rotation', () => {
    const token = tokenFor(ring, 'receipt-1')
    const rotated = openKeyring(`${entry('k2')},${first}`)
    expect(tokenMatches(rotated, 'receipt-1', token)).toBe(true)
    expect(tokenMatches(rotated, 'receipt-2', token)).toBe(false)
    for (const wrong of [
      '',
      '.',
      'k1.',
      'k9.x',
      `${token}x`,
      token.slice(0, -1),
      token.replace('k1.', 'k2.'),
      token.replace('k1.', 'k9.'),
    ]) {
      expect(tokenMatches(rotated, 'receipt-1', wrong), wrong).toBe(false)
    }
  })
})

describe('detached JWS', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'r1' } as Ed25519PrivateJwk

  it('verifies with the public key of its kid and for its payload only', () => {
    const jws = signDetached(jwk, '{"a":1}')
    expect(verifyDetached([publicJwk(jwk)], jws, '{"a":1}')).toBe(true)
    expect(verifyDetached([publicJwk(jwk)], jws, '{"a":2}')).toBe(false)
    expect(verifyDetached([{ ...publicJwk(jwk), kid: 'r2' }], jws, '{"a":1}')).toBe(false)
    expect(verifyDetached([publicJwk(jwk)], jws.replace('..', '.x.'), '{"a":1}')).toBe(false)
    expect(JSON.stringify(publicJwk(jwk))).not.toContain(jwk.d)
  })
})
