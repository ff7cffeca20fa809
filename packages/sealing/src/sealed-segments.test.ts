import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MAX_HEADER_BYTES, openKeyring, openSegmentHeader, SealBroken, sealSegments } from './index.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const first = entry('c1')
const ring = openKeyring(first)
const SEGMENT = 100
const NAME = 'media/image/1/a'

function sealedOf(bytes: Buffer, boundTo = NAME): Buffer {
  return sealSegments(ring, { bytes, contentType: 'image/png', boundTo, segmentBytes: SEGMENT })
}

/** A range of the content, read as a store would hand it out. */
function read(sealed: Buffer, range?: { first: number; last: number }, { keyring = ring, boundTo = NAME } = {}): Buffer {
  const reader = openSegmentHeader(keyring, sealed.subarray(0, MAX_HEADER_BYTES), boundTo)
  const { first: from, last } = range ?? { first: 0, last: reader.contentBytes - 1 }
  const span = reader.spanOf({ first: from, last })
  const bytes = sealed.subarray(span.firstByte, span.lastByte + 1)
  const parts: Buffer[] = []
  let at = 0
  for (let index = span.firstSegment; index <= span.lastSegment; index++) {
    parts.push(reader.openSegment(index, bytes.subarray(at, at + reader.sealedBytesOf(index))))
    at += reader.sealedBytesOf(index)
  }
  expect(at).toBe(bytes.length)
  return Buffer.concat(parts).subarray(span.skipBytes, span.skipBytes + last - from + 1)
}

describe('a content in segments', () => {
  it.each([1, 99, 100, 101, 200, 1_000, 1_001])('of %i bytes opens as it was, and any range of it', (length) => {
    const bytes = randomBytes(length)
    const sealed = sealedOf(bytes)
    expect(read(sealed).equals(bytes)).toBe(true)
    for (const from of [0, 1, 99, 100, length - 1].filter((byte) => byte < length))
      for (const last of [from, from + 1, from + 100, length - 1].filter((byte) => byte >= from && byte < length))
        expect(read(sealed, { first: from, last }).equals(bytes.subarray(from, last + 1)), `${from}-${last}`).toBe(true)
  })

  it('says its type and length before its segments are read', () => {
    const reader = openSegmentHeader(ring, sealedOf(randomBytes(12_345)).subarray(0, MAX_HEADER_BYTES), NAME)
    expect(reader).toMatchObject({ contentType: 'image/png', contentBytes: 12_345 })
  })

  it('shows nothing of the content, and is never the same twice', () => {
    const bytes = Buffer.from('a prompt spoken aloud '.repeat(20))
    const sealed = sealedOf(bytes)
    expect(sealed.includes('prompt')).toBe(false)
    expect(sealed.equals(sealedOf(bytes))).toBe(false)
  })

  it('opens after a rotation, until its key is gone', () => {
    const bytes = randomBytes(250)
    const sealed = sealedOf(bytes)
    const second = entry('c2')
    expect(read(sealed, undefined, { keyring: openKeyring(`${second},${first}`) }).equals(bytes)).toBe(true)
    expect(() => read(sealed, undefined, { keyring: openKeyring(second) })).toThrow(SealBroken)
  })

  it('opens under its own name only', () => {
    expect(() => read(sealedOf(randomBytes(10)), undefined, { boundTo: 'media/image/1/b' })).toThrow(SealBroken)
  })

  it('opens nothing of what was altered by a bit, wherever', () => {
    const sealed = sealedOf(randomBytes(250))
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(() => read(altered), `byte ${at}`).toThrow(SealBroken)
    }
  })

  it('does not open when it is truncated, to a segment or within one', () => {
    const sealed = sealedOf(randomBytes(250))
    for (let length = 0; length < sealed.length; length++) {
      expect(() => read(sealed.subarray(0, length)), `${length} bytes`).toThrow(SealBroken)
    }
  })

  it('does not open a segment in the place of another, of its own content or of another', () => {
    const reader = (sealed: Buffer) => openSegmentHeader(ring, sealed, NAME)
    const sealed = sealedOf(randomBytes(300))
    const other = sealedOf(randomBytes(300))
    const segment = (of: Buffer, index: number) => {
      const { firstByte, lastByte } = reader(of).spanOf({ first: index * SEGMENT, last: index * SEGMENT })
      return of.subarray(firstByte, lastByte + 1)
    }
    expect(reader(sealed).openSegment(1, segment(sealed, 1))).toHaveLength(SEGMENT)
    expect(() => reader(sealed).openSegment(0, segment(sealed, 1))).toThrow(SealBroken)
    expect(() => reader(sealed).openSegment(2, segment(sealed, 1))).toThrow(SealBroken)
    expect(() => reader(sealed).openSegment(1, segment(other, 1))).toThrow(SealBroken)
  })

  it('does not open a middle segment as the last one of a shorter content', () => {
    // A header that says 200 bytes instead of 300 would make it look whole: the header is authenticated, so take that of such a content.
    const long = sealedOf(randomBytes(300))
    const short = sealedOf(randomBytes(200))
    const headerBytes = long.length - 3 * (SEGMENT + 16)
    const forged = Buffer.concat([short.subarray(0, headerBytes), long.subarray(headerBytes, headerBytes + 2 * (SEGMENT + 16))])
    expect(() => read(forged)).toThrow(SealBroken)
  })

  it('is not made of nothing, and has no range outside itself', () => {
    expect(() => sealedOf(Buffer.alloc(0))).toThrow(RangeError)
    const reader = openSegmentHeader(ring, sealedOf(randomBytes(10)), NAME)
    for (const range of [
      { first: -1, last: 0 },
      { first: 5, last: 4 },
      { first: 0, last: 10 },
    ])
      expect(() => reader.spanOf(range)).toThrow(RangeError)
  })

  it('is not what a stranger made up', () => {
    for (const text of [
      '',
      'x',
      '\x01',
      `\x01\xff${'x'.repeat(300)}`,
      `\x01\x02c1${'\0'.repeat(300)}`,
      `\x01\x02zz${'\0'.repeat(300)}`,
    ])
      expect(() => openSegmentHeader(ring, Buffer.from(text, 'latin1'), NAME)).toThrow(SealBroken)
  })
})
