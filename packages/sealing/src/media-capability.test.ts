import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mintMediaCapability, OBJECT_ID_BYTES, openKeyring, readMediaCapability } from './index.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const first = entry('m1')
const ring = openKeyring(first)
const what = { objectId: randomBytes(OBJECT_ID_BYTES), expiresAtMs: 1_764_000_000_123 }
const capability = mintMediaCapability(ring, what)

describe('a media capability', () => {
  it('says its object and its exact expiry, in characters that a URL needs no escape for', () => {
    expect(capability).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(readMediaCapability(ring, capability)).toEqual(what)
  })

  it('is the same whenever it is minted again', () => {
    expect(mintMediaCapability(openKeyring(first), what)).toBe(capability)
  })

  it('says its expiry for ever: reading it does not look at a clock', () => {
    const past = { ...what, expiresAtMs: 1 }
    expect(readMediaCapability(ring, mintMediaCapability(ring, past))).toEqual(past)
  })

  it('is read after a rotation, until its key is gone', () => {
    const second = entry('m2')
    const rotated = openKeyring(`${second},${first}`)
    expect(readMediaCapability(rotated, capability)).toEqual(what)
    const fresh = mintMediaCapability(rotated, what)
    expect(fresh).not.toBe(capability)
    expect(readMediaCapability(openKeyring(second), fresh)).toEqual(what)
    expect(readMediaCapability(openKeyring(second), capability)).toBeUndefined()
  })

  it('is nothing when one bit of it differs, a byte is missing or one is added', () => {
    const bytes = Buffer.from(capability, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(readMediaCapability(ring, altered.toString('base64url')), `bit ${bit}`).toBeUndefined()
    }
    for (let length = 0; length < bytes.length; length++)
      expect(readMediaCapability(ring, bytes.subarray(0, length).toString('base64url')), `${length} bytes`).toBeUndefined()
    expect(readMediaCapability(ring, Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64url'))).toBeUndefined()
  })

  it('has one spelling', () => {
    const padded = Buffer.from(capability, 'base64url').toString('base64')
    const last = capability.at(-1) ?? ''
    const siblings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter((each) => each !== last)
    const spellings = [
      `${capability}=`,
      ` ${capability}`,
      `${capability}!`,
      `${capability}\n`,
      ...[padded].filter((text) => text !== capability),
    ]
    for (const text of [...spellings, ...siblings.map((each) => capability.slice(0, -1) + each)])
      expect(readMediaCapability(ring, text), text).toBeUndefined()
  })

  it('is not any text of a stranger, however long', () => {
    for (const text of ['', 'A', 'AAAA', '%00', '..', '/', 'a'.repeat(256), 'a'.repeat(100_000), 'ä'.repeat(50)])
      expect(readMediaCapability(ring, text)).toBeUndefined()
  })

  it('cannot be made of another use of its key', () => {
    const bytes = Buffer.from(capability, 'base64url')
    const claim = bytes.subarray(0, -32)
    const [key] = ring.keys.values()
    const foreign = createHmac('sha256', key ?? '')
      .update(claim)
      .digest()
    expect(readMediaCapability(ring, Buffer.concat([claim, foreign]).toString('base64url'))).toBeUndefined()
  })

  it('is not minted for an object id of another length', () => {
    expect(() => mintMediaCapability(ring, { ...what, objectId: randomBytes(16) })).toThrow(RangeError)
  })
})
