import { createHash, randomBytes } from 'node:crypto'
import { type KeyProvider, localKeyProvider, openKeyring } from '@turnpike/sealing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectStore } from '../object-store.ts'
import { MAX_STAGING_MS } from '../staging-prefix.ts'
import { startTestStore, type TestStore } from '../testing/test-store.ts'
import { type StagedAudioDeps, type StagingKeys, stagedAudio } from './staged-audio.ts'

let server: TestStore
let store: ObjectStore
beforeAll(async () => {
  server = await startTestStore()
  store = server.store
})
afterAll(() => server.remove())

const provider = localKeyProvider(openKeyring(`k1:${randomBytes(32).toString('base64')}`))
const wrappedKeys = new Map<string, { wrapped: string; lifetimeMs: number }>()
const keys: StagingKeys = {
  keep: async (id, wrapped, lifetimeMs) => void wrappedKeys.set(id, { wrapped, lifetimeMs }),
  find: async (id) => wrappedKeys.get(id)?.wrapped,
  forget: async (id) => void wrappedKeys.delete(id),
}
const staging = (changes: Partial<StagedAudioDeps> = {}) => stagedAudio({ store, keys, provider, ...changes })

const FRAME = Buffer.alloc(417)
Buffer.from([0xff, 0xfb, 0x90, 0x00]).copy(FRAME)
function clip(frames = 40) {
  const bytes = new Uint8Array(Buffer.concat([...Array.from({ length: frames }, () => FRAME), randomBytes(16)]))
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}
async function staged() {
  const jobId = randomBytes(32).toString('hex')
  const audio = clip()
  return { jobId, audio, at: await staging().stage({ jobId, ...audio, lifetimeMs: 1_000 }) }
}
const stored = (ref: string) => store.get(ref, { maxBytes: 1_000_000 })
const isThere = (ref: string) => stored(ref).then(Boolean, () => false)
const idOf = (ref: string) => ref.slice('staging/'.length)

describe('staged audio', () => {
  it('opens to the same bytes for its job, and no frame of it lies in the store', async () => {
    const { jobId, audio, at } = await staged()
    const opened = await staging().open(at, { jobId, sha256: audio.sha256 })
    expect(opened).toEqual({ ok: true, bytes: audio.bytes })
    const bytes = await stored(at.ref)
    expect(bytes.length).toBe(at.bytes)
    expect(bytes.includes(FRAME.subarray(0, 32))).toBe(false)
    expect(Buffer.from(audio.bytes).includes(FRAME.subarray(0, 32))).toBe(true)
  })

  it('has a key of its own each time, kept beside the store for its lifetime and not in it', async () => {
    const jobId = randomBytes(32).toString('hex')
    const audio = clip()
    const [one, two] = [
      await staging().stage({ jobId, ...audio, lifetimeMs: 1_000 }),
      await staging().stage({ jobId, ...audio, lifetimeMs: MAX_STAGING_MS }),
    ]
    expect(one.ref).not.toBe(two.ref)
    const [first, second] = [wrappedKeys.get(idOf(one.ref)), wrappedKeys.get(idOf(two.ref))]
    expect([first?.lifetimeMs, second?.lifetimeMs]).toEqual([1_000, MAX_STAGING_MS])
    const context = { purpose: 'turnpike-staged-audio', job: jobId }
    const [firstKey, secondKey] = [
      await provider.unwrap(first?.wrapped ?? '', context),
      await provider.unwrap(second?.wrapped ?? '', context),
    ]
    expect(firstKey.equals(secondKey)).toBe(false)
    const told = JSON.stringify(one) + (await stored(one.ref)).toString('latin1')
    expect(told).not.toContain(first?.wrapped)
    expect(told).not.toContain(firstKey.toString('latin1'))
  })

  it('is staged for an hour at most', async () => {
    const job = { jobId: randomBytes(32).toString('hex'), ...clip() }
    await expect(staging().stage({ ...job, lifetimeMs: MAX_STAGING_MS + 1 })).rejects.toBeInstanceOf(RangeError)
    await expect(staging().stage({ ...job, lifetimeMs: 0 })).rejects.toBeInstanceOf(RangeError)
  })

  it('is gone with its key, though its bytes are there', async () => {
    const { jobId, audio, at } = await staged()
    await keys.forget(idOf(at.ref))
    expect(await staging().open(at, { jobId, sha256: audio.sha256 })).toEqual({ ok: false, why: 'key_gone' })
    expect(await isThere(at.ref)).toBe(true)
  })

  it('is deleted with its key, twice if need be', async () => {
    const { jobId, audio, at } = await staged()
    await staging().discard(at)
    await staging().discard(at)
    expect([wrappedKeys.has(idOf(at.ref)), await isThere(at.ref)]).toEqual([false, false])
    expect(await staging().open(at, { jobId, sha256: audio.sha256 })).toEqual({ ok: false, why: 'key_gone' })
  })

  it('deletes the key although the store is away, and says that something is left', async () => {
    const { at } = await staged()
    const away: ObjectStore = { ...store, delete: () => Promise.reject(new Error('away')) }
    await expect(staging({ store: away }).discard(at)).rejects.toThrow('away')
    expect(wrappedKeys.has(idOf(at.ref))).toBe(false)
  })

  it('deletes nothing that is not a staging', async () => {
    await store.put('requests/x', Buffer.from('x'))
    await staging().discard({ ref: 'requests/x' })
    expect(await isThere('requests/x')).toBe(true)
  })
})

describe('what is not the audio that was staged for this job is refused', () => {
  it('byte by byte: every part of the object is authenticated', async () => {
    const { jobId, audio, at } = await staged()
    const bytes = await stored(at.ref)
    for (const offset of [0, 1, 12, 13, 500, bytes.length - 17, bytes.length - 1]) {
      const altered = Buffer.from(bytes)
      altered[offset] = (altered[offset] ?? 0) ^ 1
      await store.put(at.ref, altered)
      expect(await staging().open(at, { jobId, sha256: audio.sha256 }), `byte ${offset}`).toEqual({ ok: false, why: 'altered' })
      // And where the event was altered to match, so that only the seal is left to notice.
      const matching = { ...at, sha256: createHash('sha256').update(altered).digest('hex') }
      expect(await staging().open(matching, { jobId, sha256: audio.sha256 }), `byte ${offset}`).toEqual({
        ok: false,
        why: 'altered',
      })
    }
  })

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut', (bytes) => bytes.subarray(0, -1)],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
    ['empty', () => Buffer.alloc(0)],
  ])('%s', async (_what, change) => {
    const { jobId, audio, at } = await staged()
    await store.put(at.ref, change(await stored(at.ref)))
    expect(await staging().open(at, { jobId, sha256: audio.sha256 })).toEqual({ ok: false, why: 'altered' })
  })

  it('swapped with that of another job, with or without its key', async () => {
    const [mine, other] = [await staged(), await staged()]
    const job = { jobId: mine.jobId, sha256: mine.audio.sha256 }
    expect(await staging().open(other.at, job)).toEqual({ ok: false, why: 'altered' })
    await store.put(mine.at.ref, await stored(other.at.ref))
    const pointing = { ...other.at, ref: mine.at.ref }
    expect(await staging().open(pointing, job)).toEqual({ ok: false, why: 'altered' })
    const key = wrappedKeys.get(idOf(other.at.ref))
    if (key === undefined) throw new Error('no key')
    await keys.keep(idOf(mine.at.ref), key.wrapped, 1_000)
    expect(await staging().open(pointing, job)).toEqual({ ok: false, why: 'key_refused' })
  })

  it('of the same job with other audio', async () => {
    const { jobId, at } = await staged()
    expect(await staging().open(at, { jobId, sha256: clip().sha256 })).toEqual({ ok: false, why: 'altered' })
  })

  it('gone from the store', async () => {
    const { jobId, audio, at } = await staged()
    await store.delete(at.ref)
    expect(await staging().open(at, { jobId, sha256: audio.sha256 })).toEqual({ ok: false, why: 'object_gone' })
  })
})

describe('a fault while staging', () => {
  const job = () => ({ jobId: randomBytes(32).toString('hex'), ...clip(), lifetimeMs: 1_000 })
  const away = () => Promise.reject(new Error('away'))
  const noKms: KeyProvider = { wrap: away, unwrap: away }
  it.each<[string, Partial<StagedAudioDeps>]>([
    ['of the key service', { provider: noKms }],
    ['of Redis', { keys: { ...keys, keep: away } }],
  ])('%s is passed on, and nothing is left', async (_what, changes) => {
    const before = wrappedKeys.size
    const one = job()
    await expect(staging(changes).stage(one)).rejects.toThrow('away')
    expect(wrappedKeys.size).toBe(before)
    expect((await store.list(`staging/${one.jobId}`, { limit: 1 })).objects).toEqual([])
  })

  it('of the store is passed on, and no key is left', async () => {
    const before = wrappedKeys.size
    await expect(staging({ store: { ...store, put: away } }).stage(job())).rejects.toThrow('away')
    expect(wrappedKeys.size).toBe(before)
  })

  it('while opening may pass: it is thrown, not refused', async () => {
    const { jobId, audio, at } = await staged()
    const mine = { jobId, sha256: audio.sha256 }
    for (const changes of [{ provider: noKms }, { keys: { ...keys, find: away } }, { store: { ...store, get: away } }]) {
      await expect(staging(changes).open(at, mine)).rejects.toThrow('away')
    }
    expect(await staging().open(at, mine)).toMatchObject({ ok: true })
  })
})
