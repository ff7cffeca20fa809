import { randomUUID } from 'node:crypto'
import { keyHashOf, type LookupItem, type OutcomeEvent, outcomeCodec } from '@turnpike/contracts'
import { PoisonMessage } from '@turnpike/kafka'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JobUnrecorded } from './commit-outcome.ts'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { type JobChange, signAuthorization, signedJob, succeeded, unsuccessful } from './testing/signed-job.ts'

let rig: Rig
let ledger: RigLedger
let wallet: Awaited<ReturnType<Rig['wallet']>>

beforeAll(async () => {
  rig = await startRig()
  wallet = await rig.wallet(100)
  ledger = rig.ledger()
})
beforeEach(() => rig.facilitator.setMode('pay'))
afterAll(() => rig?.stop())

const admitted = async (change: JobChange = {}) => {
  const job = await signedJob(rig.keyring, wallet, change)
  expect(await ledger.recordJob(job)).toBe('admitted')
  return job
}
const take = (outcome: OutcomeEvent) => ledger.take(outcome)
const transfersOf = (nonce: string) => rig.facilitator.seen().filter((seen) => seen === nonce).length

describe('recordJob', () => {
  it('makes the key in flight and binds the authorization to it, once however often it is delivered', async () => {
    const job = await signedJob(rig.keyring, wallet)
    expect(await rig.look(job)).toEqual({ keyHash: job.keyHash, state: 'unknown', payerHasHistory: false })
    await Promise.all(Array.from({ length: 20 }, () => ledger.recordJob(job)))
    expect(await rig.look(job)).toEqual<LookupItem>({
      keyHash: job.keyHash,
      payerHasHistory: false,
      state: 'in_flight',
      key: { fingerprint: job.fingerprint, payer: job.payer, jobId: job.jobId, amountAtomic: '2000', attempts: 0 },
      authorizationOwner: { keyHash: job.keyHash, fingerprint: job.fingerprint },
      job: { state: 'admitted' },
    })
    expect(await rig.database.job.count({ where: { keyHash: job.keyHash } })).toBe(1)
  })

  it('keeps no request: prompts stay out of the tables', async () => {
    const job = await admitted()
    const [row] = await rig.database.$queryRaw<{ text: string }[]>`
      SELECT row_to_json(j)::text AS text FROM jobs j WHERE job_id = ${job.jobId}`
    expect('inline' in job.request && row?.text.includes(job.request.inline)).toBe(false)
    expect('inline' in job.payment && row?.text.includes(job.payment.inline)).toBe(true)
  })

  it('supersedes at once a job whose authorization belongs to another key, and leaves its own key unknown', async () => {
    const signed = await signAuthorization(wallet)
    const first = await admitted({ signed })
    const second = await signedJob(rig.keyring, wallet, { signed })
    expect(await ledger.recordJob(second)).toBe('superseded')
    expect(await rig.look(second)).toEqual({
      keyHash: second.keyHash,
      payerHasHistory: false,
      state: 'unknown',
      authorizationOwner: { keyHash: first.keyHash, fingerprint: first.fingerprint },
      job: { state: 'superseded' },
    })
  })

  it('lets one of two keys have an authorization that arrives under both at once', async () => {
    const signed = await signAuthorization(wallet)
    const jobs = await Promise.all([signedJob(rig.keyring, wallet, { signed }), signedJob(rig.keyring, wallet, { signed })])
    const states = await Promise.all(jobs.map((job) => ledger.recordJob(job)))
    expect(states.sort()).toEqual(['admitted', 'superseded'])
  })

  it('supersedes a job whose fingerprint or payer differs from its key', async () => {
    const job = await admitted()
    const otherRequest = await signedJob(rig.keyring, wallet, { keyHash: job.keyHash, fingerprint: 'f'.repeat(64) })
    const otherPayer = await signedJob(rig.keyring, await rig.wallet(1), { keyHash: job.keyHash, fingerprint: job.fingerprint })
    expect(await ledger.recordJob(otherRequest)).toBe('superseded')
    expect(await ledger.recordJob(otherPayer)).toBe('superseded')
    await take(succeeded(rig.keyring, otherRequest))
    await take(succeeded(rig.keyring, otherPayer))
    expect(transfersOf(otherRequest.nonce) + transfersOf(otherPayer.nonce)).toBe(0)
    expect((await rig.look(job)).state).toBe('in_flight')
  })

  it.each(['settled', 'ambiguous'] as const)('supersedes a job under a key that is %s', async (state) => {
    const { keyHash, fingerprint, ...job } = await admitted()
    await take(
      state === 'settled'
        ? succeeded(rig.keyring, { keyHash, fingerprint, ...job })
        : unsuccessful({ keyHash, fingerprint, ...job }, 'ambiguous'),
    )
    const late = await signedJob(rig.keyring, wallet, { keyHash, fingerprint, attempt: 1 })
    expect(await ledger.recordJob(late)).toBe('superseded')
    await take(succeeded(rig.keyring, late))
    expect(transfersOf(late.nonce)).toBe(0)
    expect((await rig.look(late)).state).toBe(state)
  })

  it('sends an amount that no column holds to the dead letters', async () => {
    const job = await signedJob(rig.keyring, wallet)
    await expect(ledger.recordJob({ ...job, amountAtomic: '9'.repeat(30) })).rejects.toThrow(PoisonMessage)
    await expect(ledger.recordJob({ ...job, amountAtomic: '0' })).rejects.toThrow(PoisonMessage)
    expect((await rig.look(job)).state).toBe('unknown')
  })
})

describe('an outcome without a result', () => {
  it.each(['failed', 'refused'] as const)('%s frees the key for the same signature and counts the attempt', async (kind) => {
    const signed = await signAuthorization(wallet)
    const job = await admitted({ signed })
    const failure = { code: kind === 'failed' ? 'provider_overloaded' : 'content_blocked', retryAfterS: 3 }
    await take(unsuccessful(job, kind))
    expect(await rig.look(job)).toMatchObject({ state: 'free', key: { attempts: 1, failure }, job: { state: kind, failure } })
    expect(rig.told.moved).toContain(job.keyHash)

    const again = await admitted({ signed, keyHash: job.keyHash, fingerprint: job.fingerprint, attempt: 1 })
    expect(again.jobId).not.toBe(job.jobId)
    const item = await rig.look(again)
    expect(item).toMatchObject({ state: 'in_flight', key: { jobId: again.jobId, attempts: 1 } })
    expect(item.key?.failure).toBeUndefined()
    await take(succeeded(rig.keyring, again))
    expect((await rig.look(again)).state).toBe('settled')
  })

  it('ambiguous keeps the key on that answer, and a late success of the job is never charged', async () => {
    const job = await admitted()
    await take(unsuccessful(job, 'ambiguous'))
    await take(succeeded(rig.keyring, job))
    expect(await rig.look(job)).toMatchObject({
      state: 'ambiguous',
      key: { attempts: 0, failure: { code: 'provider_outcome_unknown' } },
      job: { state: 'ambiguous' },
    })
    expect(transfersOf(job.nonce)).toBe(0)
  })

  it('lets the first outcome stand', async () => {
    const job = await admitted()
    await take(unsuccessful(job, 'refused'))
    await take(unsuccessful(job, 'failed'))
    await take(succeeded(rig.keyring, job))
    expect(await rig.look(job)).toMatchObject({ state: 'free', key: { attempts: 1 }, job: { state: 'refused' } })
  })

  it('leaves the key in flight while another job of it is open, and frees it with the last one', async () => {
    const first = await admitted()
    const second = await admitted({ keyHash: first.keyHash, fingerprint: first.fingerprint })
    await take(unsuccessful(first, 'failed'))
    expect(await rig.look(first)).toMatchObject({ state: 'in_flight', key: { jobId: second.jobId, attempts: 1 } })
    await take(unsuccessful(second, 'failed'))
    expect(await rig.look(first)).toMatchObject({ state: 'free', key: { attempts: 2 } })
  })

  it('never leaves a key in flight when two jobs of it fail at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      const first = await admitted()
      const second = await admitted({ keyHash: first.keyHash, fingerprint: first.fingerprint })
      await Promise.all([take(unsuccessful(first, 'failed')), take(unsuccessful(second, 'refused'))])
      expect(await rig.look(first)).toMatchObject({ state: 'free', key: { attempts: 2 } })
    }
  })

  it('waits for a job that is not recorded yet, and gives up after many tries', async () => {
    const job = await signedJob(rig.keyring, wallet)
    for (const outcome of [unsuccessful(job, 'failed'), succeeded(rig.keyring, job)]) {
      await expect(take(outcome)).rejects.toThrow(JobUnrecorded)
      await expect(ledger.commitOutcome(outcome, { attempt: 60, traceparent: undefined })).rejects.toThrow(PoisonMessage)
    }
  })
})

describe('two winners under one key', () => {
  it('settle once, whatever arrives fifty times at once; the loser is superseded, uncharged', async () => {
    for (let round = 0; round < 3; round++) {
      const keyHash = keyHashOf(randomUUID())
      const first = await admitted({ keyHash })
      const second = await admitted({ keyHash, fingerprint: first.fingerprint })
      const outcomes = Array.from({ length: 25 }, () => [succeeded(rig.keyring, first), succeeded(rig.keyring, second)]).flat()
      await Promise.all(outcomes.map(take))
      const states = await rig.database.job.findMany({ where: { keyHash }, select: { state: true }, orderBy: { state: 'asc' } })
      expect(states.map(({ state }) => state)).toEqual(['succeeded', 'superseded'])
      expect(transfersOf(first.nonce) + transfersOf(second.nonce)).toBe(1)
      expect(await rig.database.payment.findMany({ where: { keyHash }, select: { state: true } })).toEqual([{ state: 'settled' }])
      expect(await rig.database.receipt.count({ where: { jobId: { in: [first.jobId, second.jobId] } } })).toBe(1)
      expect((await rig.look(first)).state).toBe('settled')
    }
  })
})

describe('the overdue sweep', () => {
  it('publishes an ambiguous outcome for a job without one past deadline and grace, behind what lies in the topic', async () => {
    const patient = rig.ledger({ graceMs: 600_000 })
    const overdue = await admitted({ deadline: Date.now() - 601_000 })
    const within = await admitted({ deadline: Date.now() - 1_000 })
    rig.told.published.length = 0
    await patient.sweep()
    await patient.sweep()
    const swept = rig.told.published.map(({ topic, value }) => ({ topic, decoded: outcomeCodec.decode(value) }))
    const ofOurs = swept.filter(({ decoded }) => decoded.ok && [overdue.jobId, within.jobId].includes(decoded.event.jobId))
    expect(ofOurs).toHaveLength(1)
    const [only] = ofOurs
    if (only?.decoded.ok !== true) throw new Error('nothing was swept')
    expect(only.topic).toBe('outcomes')
    expect(only.decoded.event).toMatchObject({ kind: 'ambiguous', jobId: overdue.jobId, keyHash: overdue.keyHash })
    expect((await rig.look(overdue)).state).toBe('in_flight')
    await take(only.decoded.event)
    expect((await rig.look(overdue)).state).toBe('ambiguous')
    await take(succeeded(rig.keyring, overdue))
    expect(transfersOf(overdue.nonce)).toBe(0)
  })
})
