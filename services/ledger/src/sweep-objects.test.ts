import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyHashOf, type OutcomeEvent, sealedFor } from '@turnpike/contracts'
import { type PartHandle, startPart } from '@turnpike/local'
import { seal } from '@turnpike/sealing'
import { type ObjectStore, openObjectStore, packContent } from '@turnpike/storage'
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

  it('goes through more than one page, young and old', async () => {
    const keys = Array.from({ length: 501 }, () => `requests/${randomUUID()}`)
    await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))))
    expect(await round(0)).toBe(3)
    expect(await round(2)).toBeGreaterThanOrEqual(3)
    expect((await store.list('requests/', { limit: 10 })).objects).toEqual([])
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
