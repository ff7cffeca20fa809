import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobEvent, sealedFor } from '@turnpike/contracts'
import { type PartHandle, startPart } from '@turnpike/local'
import { seal } from '@turnpike/sealing'
import { ObjectMissing, type ObjectStore, openObjectStore, packContent } from '@turnpike/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readReceipt, readRelease } from './releases.ts'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded } from './testing/signed-job.ts'

let rig: Rig
let s3: PartHandle
let dir: string
let store: ObjectStore
let ledger: RigLedger

beforeAll(async () => {
  rig = await startRig()
  dir = await mkdtemp(join(tmpdir(), 'ledger-s3-'))
  const part = await startPart('s3', { dir })
  s3 = part
  store = openObjectStore({ ...part, forcePathStyle: true })
  await store.ensureBucket()
  ledger = rig.ledger({ store })
}, 240_000)
afterAll(async () => {
  store?.close()
  await s3?.stop()
  await rm(dir, { recursive: true, force: true })
  await rig?.stop()
})

async function settledWith(bodyBytes: number): Promise<{ job: JobEvent; ref: string }> {
  const job = await signedJob(rig.keyring, await rig.wallet(1))
  const ref = `results/${job.jobId}`
  const body = await packContent(store, seal(rig.keyring, Buffer.alloc(bodyBytes, 'x'), sealedFor.result(job.jobId)), ref)
  const outcome = succeeded(rig.keyring, job)
  if (outcome.kind !== 'succeeded') throw new Error('not a success')
  await ledger.recordJob(job)
  await ledger.take({ ...outcome, result: { ...outcome.result, body } })
  expect((await rig.look(job)).state).toBe('settled')
  return { job, ref }
}
const age = ({ jobId }: JobEvent) =>
  rig.byHand.result.update({ where: { jobId }, data: { expiresAt: new Date(Date.now() - 1_000) } })

describe('expireResults', () => {
  it('keeps a settled result for seven days', async () => {
    const { job } = await settledWith(100)
    await ledger.expire()
    const { expiresAt } = await rig.database.result.findUniqueOrThrow({ where: { jobId: job.jobId } })
    const keptDays = (expiresAt.getTime() - Date.now()) / 86_400_000
    expect(keptDays).toBeGreaterThan(6.99)
    expect(keptDays).toBeLessThanOrEqual(7)
    expect(await readRelease(rig.database, job.jobId)).toBeDefined()
  })

  it('then deletes the row and the object, and keeps key and receipt for ever', async () => {
    const { job, ref } = await settledWith(300_000)
    const release = await readRelease(rig.database, job.jobId)
    expect(release?.body).toMatchObject({ ref })
    await age(job)
    await ledger.expire()
    expect(await rig.look(job)).toMatchObject({ state: 'expired', key: { jobId: job.jobId, fingerprint: job.fingerprint } })
    expect(await readRelease(rig.database, job.jobId)).toBeUndefined()
    expect(await rig.database.result.count({ where: { jobId: job.jobId } })).toBe(0)
    await expect(store.get(ref, { maxBytes: 1_000_000 })).rejects.toThrow(ObjectMissing)
    expect(await readReceipt(rig.database, release?.receiptId ?? '')).toMatchObject({ payment: { nonce: job.nonce } })
    const late = await signedJob(rig.keyring, await rig.wallet(1), { keyHash: job.keyHash, fingerprint: job.fingerprint })
    expect(await ledger.recordJob(late)).toBe('superseded')
  })

  it('takes up what a crash left between the key and the object', async () => {
    const { job, ref } = await settledWith(300_000)
    await age(job)
    const dying = rig.ledger({ store: { ...store, delete: () => Promise.reject(new Error('killed')) } })
    await dying.expire()
    expect((await rig.look(job)).state).toBe('expired')
    expect(await readRelease(rig.database, job.jobId)).toBeUndefined()
    await ledger.expire()
    expect(await rig.database.result.count({ where: { jobId: job.jobId } })).toBe(0)
    await expect(store.get(ref, { maxBytes: 1_000_000 })).rejects.toThrow(ObjectMissing)
  })

  it('never touches a result whose settlement is undecided', async () => {
    const job = await signedJob(rig.keyring, await rig.wallet(1))
    await ledger.recordJob(job)
    rig.facilitator.setMode('status-500')
    await ledger.take(succeeded(rig.keyring, job))
    rig.facilitator.setMode('pay')
    await age(job)
    await ledger.expire()
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    expect(await rig.database.result.count({ where: { jobId: job.jobId, expired: false } })).toBe(1)
  })
})
