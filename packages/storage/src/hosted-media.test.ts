import { createHash, randomBytes } from 'node:crypto'
import { MAX_HEADER_BYTES, openKeyring, readMediaCapability, SealBroken } from '@turnpike/sealing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expiryOfMediaKey,
  hostMedia,
  type MediaAtRest,
  type MediaObject,
  type MediaUse,
  mediaKeyOf,
  mediaObjectOf,
  ObjectMissing,
  openHostedMedia,
} from './index.ts'
import { startTestStore, type TestStore } from './testing/test-store.ts'

const ring = (id: string) => openKeyring(`${id}:${randomBytes(32).toString('base64')}`)
const [contentKeys, capabilityKeys] = [ring('c1'), ring('m1')]
const NOW = 1_764_000_000_123
const DAY_MS = 24 * 3_600_000
const signal = new AbortController().signal

let server: TestStore
beforeAll(async () => {
  server = await startTestStore()
})
afterAll(() => server.remove())

async function host(bytes: Buffer, atRest: MediaAtRest): Promise<MediaObject> {
  const deps = { store: server.store, contentKeys, capabilityKeys, atRest, now: () => NOW }
  const media = { kind: 'image', bytes, contentType: 'image/png', retentionMs: 7 * DAY_MS } as const
  return objectOf((await hostMedia(deps, media)).capability)
}

function objectOf(capability: string): MediaObject {
  const read = readMediaCapability(capabilityKeys, capability)
  const object = read && mediaObjectOf(read)
  if (object === undefined) throw new Error('not a capability')
  return object
}

async function read(object: MediaObject, use: MediaUse, range?: { first: number; last: number }): Promise<Buffer> {
  const media = await openHostedMedia({ store: server.store, contentKeys }, object, { use, signal })
  const chunks: Buffer[] = []
  for await (const chunk of media.read(range ?? { first: 0, last: media.contentBytes - 1 })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe.each(['sealed', 'plain'] as const)('a hosted file, %s at rest', (atRest) => {
  it.each([1, 65_535, 65_536, 65_537, 1_000_000])('of %i bytes comes back as it was', async (length) => {
    const bytes = randomBytes(length)
    const object = await host(bytes, atRest)
    for (const use of ['whole', 'part'] as const) expect(digest(await read(object, use)), use).toBe(digest(bytes))
  })

  it('comes back in any part', async () => {
    const bytes = randomBytes(200_000)
    const object = await host(bytes, atRest)
    for (const [first, last] of [
      [0, 0],
      [0, 199_999],
      [199_999, 199_999],
      [65_535, 65_536],
      [70_000, 70_000],
      [100, 150_000],
      [131_072, 131_072],
    ] as const)
      for (const use of ['whole', 'part'] as const)
        expect(
          (await read(object, use, { first, last })).equals(bytes.subarray(first, last + 1)),
          `${use} ${first}-${last}`,
        ).toBe(true)
  })

  it('says its length without being read', async () => {
    const object = await host(randomBytes(123_456), atRest)
    const media = await openHostedMedia({ store: server.store, contentKeys }, object, { use: 'nothing', signal })
    expect(media.contentBytes).toBe(123_456)
    media.close()
  })

  it('that is gone is missing, by type', async () => {
    const object = await host(randomBytes(10), atRest)
    await server.store.delete(mediaKeyOf(object))
    for (const use of ['whole', 'part', 'nothing'] as const)
      await expect(openHostedMedia({ store: server.store, contentKeys }, object, { use, signal })).rejects.toBeInstanceOf(
        ObjectMissing,
      )
  })

  it('lies where its expiry can be read off its key, in the order of expiry', async () => {
    const deps = { store: server.store, contentKeys, capabilityKeys, atRest }
    const media = { kind: 'speech', bytes: randomBytes(10), contentType: 'audio/mpeg', retentionMs: DAY_MS } as const
    const [later, sooner] = [
      await hostMedia({ ...deps, now: () => NOW + 5 }, media),
      await hostMedia({ ...deps, now: () => NOW }, media),
    ]
    expect([sooner.expiresAtMs, later.expiresAtMs]).toEqual([NOW + DAY_MS, NOW + DAY_MS + 5])
    const keys = [sooner, later].map(({ capability }) => mediaKeyOf(objectOf(capability)))
    expect(keys).toEqual([...keys].sort())
    expect(keys.map(expiryOfMediaKey)).toEqual([sooner.expiresAtMs, later.expiresAtMs])
    for (const key of keys) expect(key).toMatch(/^media\/speech\//)
  })

  it('can be read a hundred times at once without holding on to connections', async () => {
    const bytes = randomBytes(300_000)
    const object = await host(bytes, atRest)
    const starts = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const media = await openHostedMedia({ store: server.store, contentKeys }, object, { use: 'whole', signal })
        const chunks = media.read({ first: 0, last: 299_999 })
        const { value } = await chunks.next()
        await chunks.return()
        return (value as Buffer).length
      }),
    )
    expect(Math.min(...starts)).toBeGreaterThan(0)
    expect(digest(await read(object, 'whole'))).toBe(digest(bytes))
  })
})

describe('a file that is sealed at rest', () => {
  const bytes = Buffer.from('Nobody reads this in the bucket. '.repeat(10_000))

  async function altered(change: (stored: Buffer) => Buffer): Promise<MediaObject> {
    const object = await host(bytes, 'sealed')
    const key = mediaKeyOf(object)
    await server.store.put(key, change(await server.store.get(key, { maxBytes: 1_000_000 })))
    return object
  }

  it('shows nothing in the bucket', async () => {
    const stored = await server.store.get(mediaKeyOf(await host(bytes, 'sealed')), { maxBytes: 1_000_000 })
    expect(stored.includes('Nobody reads')).toBe(false)
    expect(stored.length).toBeGreaterThan(bytes.length)
  })

  it.each<[string, (stored: Buffer) => Buffer]>([
    ['a bit in its header', (stored) => flipped(stored, 20)],
    ['a bit in its first segment', (stored) => flipped(stored, MAX_HEADER_BYTES + 10)],
    ['a bit in its last segment', (stored) => flipped(stored, stored.length - 20)],
    ['a byte less', (stored) => stored.subarray(0, -1)],
    ['half of it', (stored) => stored.subarray(0, stored.length / 2)],
    ['nothing but its header', (stored) => stored.subarray(0, 120)],
    ['nothing', () => Buffer.alloc(0)],
    ['other bytes', (stored) => randomBytes(stored.length)],
  ])('is not given back whole with %s', async (_what, change) => {
    await expect(read(await altered(change), 'whole')).rejects.toThrow()
  })

  it('is given back in those parts that are not altered', async () => {
    const object = await altered((stored) => flipped(stored, stored.length - 20))
    expect((await read(object, 'part', { first: 0, last: 99 })).equals(bytes.subarray(0, 100))).toBe(true)
    await expect(read(object, 'part', { first: bytes.length - 1, last: bytes.length - 1 })).rejects.toBeInstanceOf(SealBroken)
  })

  it('does not open in the place of another', async () => {
    const [one, other] = [await host(bytes, 'sealed'), await host(bytes, 'sealed')]
    await server.store.put(mediaKeyOf(one), await server.store.get(mediaKeyOf(other), { maxBytes: 1_000_000 }))
    await expect(read(one, 'whole')).rejects.toBeInstanceOf(SealBroken)
  })
})

describe('hosting', () => {
  const media = { kind: 'speech', bytes: randomBytes(10), contentType: 'audio/mpeg', retentionMs: DAY_MS } as const
  const deps = () => ({ store: server.store, contentKeys, capabilityKeys, atRest: 'sealed' as const, now: () => NOW })

  it('promises nothing before the store has acknowledged it', async () => {
    const failing = { put: () => Promise.reject(new Error('the store is away')) }
    await expect(hostMedia({ ...deps(), store: failing }, media)).rejects.toThrow('the store is away')
  })

  it('never gives two files one capability', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => hostMedia(deps(), media)))
    expect(new Set(all.map(({ capability }) => capability)).size).toBe(50)
  })

  it('refuses no bytes, and a retention that the deletion rules would cut short', async () => {
    await expect(hostMedia(deps(), { ...media, bytes: Buffer.alloc(0) })).rejects.toThrow(RangeError)
    for (const retentionMs of [0, -1, 0.5, Number.NaN, DAY_MS + 1])
      await expect(hostMedia(deps(), { ...media, retentionMs })).rejects.toThrow(RangeError)
    await expect(hostMedia(deps(), { ...media, kind: 'image', retentionMs: 7 * DAY_MS + 1 })).rejects.toThrow(RangeError)
  })
})

describe('an object id', () => {
  it('of a later version is none of ours', async () => {
    const { capability } = await hostMedia(
      { store: server.store, contentKeys, capabilityKeys, atRest: 'sealed', now: () => NOW },
      { kind: 'image', bytes: Buffer.from('x'), contentType: 'image/jpeg', retentionMs: 1 },
    )
    const claim = readMediaCapability(capabilityKeys, capability)
    if (claim === undefined) throw new Error('not a capability')
    expect(mediaObjectOf(claim)).toMatchObject({
      kind: 'image',
      contentType: 'image/jpeg',
      atRest: 'sealed',
      expiresAtMs: NOW + 1,
    })
    for (const at of [0, 1, 2, 3]) {
      const objectId = Buffer.from(claim.objectId)
      objectId[at] = 9
      expect(mediaObjectOf({ ...claim, objectId })).toBeUndefined()
    }
  })

  it('stands in a key of ours only', () => {
    for (const key of ['media/x', 'media/image/123/ab', 'requests/1764000000123', `media/video/1764000000123/${'a'.repeat(40)}`])
      expect(expiryOfMediaKey(key)).toBeUndefined()
  })
})

function flipped(stored: Buffer, at: number): Buffer {
  const copy = Buffer.from(stored)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
