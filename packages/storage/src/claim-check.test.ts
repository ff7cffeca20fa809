import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClaimCheckBroken, MAX_INLINE_BYTES, packContent, unpackContent } from './claim-check.ts'
import { ObjectMissing } from './object-store.ts'
import { startTestStore, type TestStore } from './testing/test-store.ts'

let server: TestStore
beforeAll(async () => {
  server = await startTestStore()
})
afterAll(() => server.remove())

const nameOf = () => `requests/${randomUUID()}`

describe('content', () => {
  it('up to the threshold travels inline, and nothing is stored', async () => {
    for (const length of [0, 1, MAX_INLINE_BYTES]) {
      const ref = nameOf()
      const sealed = randomBytes(length)
      const content = await packContent(server.store, sealed, ref)
      expect(content).toEqual({ inline: sealed.toString('base64') })
      expect((await unpackContent(server.store, content)).equals(sealed)).toBe(true)
      await expect(server.store.get(ref, { maxBytes: length })).rejects.toBeInstanceOf(ObjectMissing)
    }
  })

  it('beyond it travels by reference, digest and length', async () => {
    const ref = nameOf()
    const sealed = randomBytes(MAX_INLINE_BYTES + 1)
    const content = await packContent(server.store, sealed, ref)
    expect(content).toEqual({ ref, sha256: createHash('sha256').update(sealed).digest('hex'), bytes: sealed.length })
    expect((await unpackContent(server.store, content)).equals(sealed)).toBe(true)
  })
})

describe('stored content', () => {
  const sealed = randomBytes(MAX_INLINE_BYTES + 100)

  it.each([
    ['one bit', () => Buffer.from(sealed.map((byte, index) => (index === 1_000 ? byte ^ 1 : byte)))],
    ['one byte less', () => sealed.subarray(1)],
    ['one byte more', () => Buffer.concat([sealed, Buffer.from('x')])],
    ['much more', () => Buffer.concat([sealed, sealed])],
    ['nothing', () => Buffer.alloc(0)],
  ])('that was altered by %s is refused for good, not as a fault to retry', async (_what, altered) => {
    const content = await packContent(server.store, sealed, nameOf())
    if (!('ref' in content)) throw new Error('not stored')
    await server.store.put(content.ref, altered())
    await expect(unpackContent(server.store, content)).rejects.toBeInstanceOf(ClaimCheckBroken)
  })

  it('that is gone is missing, by type', async () => {
    const content = await packContent(server.store, sealed, nameOf())
    if (!('ref' in content)) throw new Error('not stored')
    await server.store.delete(content.ref)
    await expect(unpackContent(server.store, content)).rejects.toBeInstanceOf(ObjectMissing)
  })

  it('is not promised before it is stored', async () => {
    const failing = { ...server.store, put: () => Promise.reject(new Error('the store is away')) }
    await expect(packContent(failing, sealed, nameOf())).rejects.toThrow('the store is away')
  })
})
