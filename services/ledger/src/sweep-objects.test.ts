import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyHashOf, type OutcomeEvent, sealedFor } from '@turnpike/contracts'
import { type PartHandle, startPart } from '@turnpike/local'
import { seal } from '@turnpike/sealing'
import { hostMedia, type ObjectStore, openObjectStore, packContent } from '@turnpike/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRelease } from './releases.ts'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded, unsuccessful } from './testing/signed-job.ts'

const DAY_MS = 24 * 3_600_000
let rig: Rig
let s3: PartHandle
let dir: string
let store: ObjectStore
let ledger: RigLedger
let wallet: Awaited<ReturnType<Rig['wallet']>>

beforeAll(async () => {
  rig = await startRig()
  wallet = await rig.wallet(10)
  dir = await mkdtemp(join(tmpdir(), 'ledger-s3-'))
  const part = await startPart('s3', { dir })
  s3 = part
  store = openObjectStore({ ...part, forcePathStyle: true })
  ledger = rig.ledger({ store })
}, 240_000)
afterAll(async () => {
  store?.close()
  await s3?.stop()
  await rm(dir, { recursive: true, force: true })
  await rig?.stop()
})

const isThere = (key: string) => store.get(key, { maxBytes: 1_000_000 }).then(Boolean, () => false)

/** A few at a time: a store takes only so many connections. */
async function putAll(keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 20)
    await Promise.all(keys.slice(at, at + 20).map((key) => store.put(key, Buffer.from('x'))))
}

/** The outcome of one execution, its result stored under a name of its own. */
async function storedOutcome(job: Awaited<ReturnType<typeof signedJob>>): Promise<{ outcome: OutcomeEvent; ref: string }> {
  const ref = `results/${job.jobId}-${randomUUID()}`
  const body = await packContent(store, seal(rig.keyring, randomBytes(300_000), sealedFor.result(job.jobId)), ref)
  const outcome = succeeded(rig.keyring, job)
  if (outcome.kind !== 'succeeded') throw new Error('not a success')
  return { outcome: { ...outcome, result: { ...outcome.result, body } }, ref }
}

describe('the stored result of an outcome that is not taken', () => {
  it('goes when the job had ended before; the one that was taken stays, however often it is delivered', async () => {
    const job = await signedJob(rig.keyring, wallet)
    await ledger.recordJob(job)
    const [first, second] = [await storedOutcome(job), await storedOutcome(job)]
    await ledger.take(first.outcome)
    await ledger.take(second.outcome)
    await ledger.take(first.outcome)
    expect([await isThere(first.ref), await isThere(second.ref)]).toEqual([true, false])
    expect((await readRelease(rig.database, job.jobId))?.body).toMatchObject({ ref: first.ref })
  })

  it('goes when its job was given up or superseded', async () => {
    const lost = await signedJob(rig.keyring, wallet)
    await ledger.recordJob(lost)
    await ledger.take(unsuccessful(lost, 'ambiguous'))
    const [winner, loser] = await Promise.all(
      [keyHashOf(randomUUID())].flatMap((keyHash) => [
        signedJob(rig.keyring, wallet, { keyHash }),
        signedJob(rig.keyring, wallet, { keyHash }),
      ]),
    )
    if (winner === undefined || loser === undefined) throw new Error('no jobs')
    for (const job of [winner, loser]) await ledger.recordJob(job)
    await ledger.take(succeeded(rig.keyring, winner))
    for (const job of [lost, loser]) {
      const { outcome, ref } = await storedOutcome(job)
      await ledger.take(outcome)
      expect(await isThere(ref)).toBe(false)
    }
  })
})

describe('the sweep of the store', () => {
  async function round(daysLater: number) {
    const later = rig.ledger({ store, now: () => Date.now() + daysLater * DAY_MS })
    let turns = 1
    while (await later.sweepObjects()) turns++
    return turns
  }

  it('deletes requests after a day and results after nine, but none that a result refers to', async () => {
    const job = await signedJob(rig.keyring, wallet)
    await ledger.recordJob(job)
    const taken = await storedOutcome(job)
    await ledger.take(taken.outcome)
    const request = `requests/${job.jobId}`
    const stray = `results/${job.jobId}-${randomUUID()}`
    const other = `media/${job.jobId}`
    const odd = 'results/of-no-job'
    for (const key of [request, stray, other, odd]) await store.put(key, Buffer.from('sealed'))
    const left = () => Promise.all([request, stray, odd, taken.ref, other].map(isThere))
    await round(0)
    expect(await left()).toEqual([true, true, true, true, true])
    await round(1.1)
    expect(await left()).toEqual([false, true, true, true, true])
    await round(9.1)
    expect(await left()).toEqual([false, false, false, true, true])
  })

  it('deletes staged audio when its key has lapsed for a quarter of an hour, and no sooner', async () => {
    const key = `staging/${'a'.repeat(64)}-${'b'.repeat(16)}`
    await store.put(key, Buffer.from('noise'))
    await round(1.2 / 24)
    expect(await isThere(key)).toBe(true)
    await round(1.3 / 24)
    expect(await isThere(key)).toBe(false)
  })

  it('goes through more than one page, young and old', async () => {
    const keys = Array.from({ length: 501 }, () => `requests/${randomUUID()}`)
    await putAll(keys)
    // Two pages of requests, one of each other prefix.
    expect(await round(0)).toBe(6)
    expect(await round(2)).toBeGreaterThanOrEqual(6)
    expect((await store.list('requests/', { limit: 10 })).objects).toEqual([])
  })

  it('deletes a hosted file when its expiry is an hour past, to the millisecond never before', async () => {
    const hostedAt = Date.now()
    const deps = { store, contentKeys: rig.keyring, capabilityKeys: rig.keyring, atRest: 'sealed' as const, now: () => hostedAt }
    const bytes = randomBytes(100)
    await hostMedia(deps, { kind: 'image', bytes, contentType: 'image/png', retentionMs: 7 * DAY_MS })
    await hostMedia(deps, { kind: 'speech', bytes, contentType: 'audio/mpeg', retentionMs: DAY_MS })
    // What is not ours stays, wherever it stands in the order of keys.
    const foreign = ['media/image/0', 'media/speech/a-file-of-yours', 'media/other/1764000000123']
    for (const key of foreign) await store.put(key, Buffer.from('yours'))
    const left = async () => {
      const keys = (await store.list('media/', { limit: 100 })).objects.map(({ key }) => key)
      expect(keys).toEqual(expect.arrayContaining(foreign))
      return [
        keys.filter((key) => /^media\/image\/\d{13}/.test(key)).length,
        keys.filter((key) => /^media\/speech\/\d{13}/.test(key)).length,
      ]
    }
    const sweepAt = async (nowMs: number) => {
      const later = rig.ledger({ store, now: () => nowMs })
      while (await later.sweepObjects());
      return left()
    }
    const hour = DAY_MS / 24
    expect(await sweepAt(hostedAt + DAY_MS)).toEqual([1, 1])
    expect(await sweepAt(hostedAt + DAY_MS + hour)).toEqual([1, 1])
    expect(await sweepAt(hostedAt + DAY_MS + hour + 1)).toEqual([1, 0])
    expect(await sweepAt(hostedAt + 7 * DAY_MS + hour)).toEqual([1, 0])
    expect(await sweepAt(hostedAt + 7 * DAY_MS + hour + 1)).toEqual([0, 0])
  })

  it('looks no further than the first hosted file that stays', async () => {
    const at = Date.now()
    const keyOf = (expiresAtMs: number) => `media/speech/${expiresAtMs}/${randomBytes(20).toString('hex')}`
    const old = Array.from({ length: 501 }, (_, index) => keyOf(at - 2 * DAY_MS + index))
    const live = Array.from({ length: 501 }, (_, index) => keyOf(at + index))
    await putAll([...old, ...live])
    let listed = 0
    const counted: ObjectStore = {
      ...store,
      list: (prefix, page) => {
        if (prefix === 'media/speech/') listed += 1
        return store.list(prefix, page)
      },
    }
    const later = rig.ledger({ store: counted, now: () => at })
    while (await later.sweepObjects());
    const [oldThere, liveThere] = await Promise.all([isThere(old.at(-1) ?? ''), isThere(live[0] ?? '')])
    expect([oldThere, liveThere, listed]).toEqual([false, true, 2])
  })

  it('starts over after a fault', async () => {
    await store.put('requests/late', Buffer.from('x'))
    let faults = 1
    const flaky: ObjectStore = {
      ...store,
      delete: async (key) => {
        faults -= 1
        if (faults >= 0) throw new Error('away')
        await store.delete(key)
      },
    }
    const later = rig.ledger({ store: flaky, now: () => Date.now() + 2 * DAY_MS })
    await expect(later.sweepObjects()).rejects.toThrow('away')
    while (await later.sweepObjects());
    expect(await isThere('requests/late')).toBe(false)
  })
})
