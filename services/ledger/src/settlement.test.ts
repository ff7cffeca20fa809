import { canonical, compile, type JobEvent, Receipt, Release } from '@turnpike/contracts'
import { publicJwk, verifyDetached } from '@turnpike/sealing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readReceipt, readRelease } from './releases.ts'
import { type Rig, type RigLedger, SIGNING_KEY, startRig } from './testing/ledger-rig.ts'
import { type SignedAuthorization, signAuthorization, signedJob, succeeded } from './testing/signed-job.ts'

let rig: Rig
let ledger: RigLedger
let hasty: RigLedger
let wallet: Awaited<ReturnType<Rig['wallet']>>

beforeAll(async () => {
  rig = await startRig()
  wallet = await rig.wallet(100)
  ledger = rig.ledger()
  hasty = rig.hastyLedger()
})
beforeEach(() => rig.facilitator.setMode('pay'))
afterAll(() => rig?.stop())

async function finish(signed?: SignedAuthorization, on: RigLedger = ledger): Promise<JobEvent> {
  const job = await signedJob(rig.keyring, wallet, signed === undefined ? {} : { signed })
  await on.recordJob(job)
  await on.take(succeeded(rig.keyring, job))
  return job
}
async function reconcile(on: RigLedger = ledger) {
  await rig.makeDue()
  await on.reconcile()
  await on.idle(90_000)
}
async function paymentOf({ jobId }: JobEvent) {
  const [latest] = await rig.database.payment.findMany({ where: { jobId }, orderBy: { createdAt: 'desc' }, take: 1 })
  if (latest === undefined) throw new Error('no payment')
  return latest
}
const handedIn = ({ nonce }: JobEvent) => rig.facilitator.seen().filter((seen) => seen === nonce).length
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('a succeeded job', () => {
  it('is settled, with a receipt that anybody can check and a release that is the result as it came', async () => {
    const job = await finish()
    const outcome = succeeded(rig.keyring, job)
    const release = await readRelease(rig.database, job.jobId)
    expect(compile(Release)(release)).toMatchObject({ ok: true })
    const receipt = await readReceipt(rig.database, release?.receiptId ?? '')
    if (receipt === undefined || outcome.kind !== 'succeeded') throw new Error('no receipt')
    expect(compile(Receipt)(receipt)).toMatchObject({ ok: true })
    expect(receipt).toMatchObject({
      id: release?.receiptId,
      request_id: job.requestId,
      price: { amount_atomic: '2000', amount: '0.002', inputs: job.priceInputs },
      payment: { payer: job.payer, nonce: job.nonce, pay_to: job.payTo },
      usage: outcome.usage,
      request_sha256: job.fingerprint,
      response_sha256: outcome.result.sha256,
    })
    const { signature, ...unsigned } = receipt
    expect(verifyDetached([publicJwk(SIGNING_KEY)], signature, canonical(unsigned))).toBe(true)
    expect(verifyDetached([publicJwk(SIGNING_KEY)], signature, canonical({ ...unsigned, created: 1 }))).toBe(false)
    expect(release?.createdS).toBe(receipt.created)
    expect(release?.paymentResponse).toEqual({
      success: true,
      transaction: receipt.payment.transaction,
      network: 'eip155:8453',
      payer: job.payer,
      amount: '2000',
    })
    expect(rig.told.commits.filter((jobId) => jobId === job.jobId)).toHaveLength(1)
    expect(rig.told.settled).toContain(job.jobId)
    // The signature is public calldata now, but nothing keeps it here any longer.
    expect(await paymentOf(job)).toMatchObject({ state: 'settled', payment: null })
  })

  it('is not released before it is committed', async () => {
    rig.facilitator.setMode('status-500')
    const job = await finish()
    expect(await readRelease(rig.database, job.jobId)).toBeUndefined()
  })
})

describe('the commit event', () => {
  it('that a fault or a crash left out is published later, and then no more', async () => {
    const deaf = rig.ledger({ publisher: { publish: () => Promise.reject(new Error('away')) } })
    const job = await finish(undefined, deaf)
    const told = () => rig.told.commits.filter((jobId) => jobId === job.jobId).length
    expect((await rig.look(job)).state).toBe('settled')
    await deaf.announce()
    await ledger.announce()
    expect(told()).toBe(0)
    await rig.byHand.$executeRaw`UPDATE payments SET decided_at = now() - interval '31 seconds' WHERE job_id = ${job.jobId}`
    await ledger.announce()
    await ledger.announce()
    expect(told()).toBe(1)
  })
})

describe('an answer that proves nothing', () => {
  it.each(['lost', 'hang', 'status-500', 'refuse-operator', 'lie'] as const)(
    '%s: the settlement is unknown or settled, never void',
    async (mode) => {
      rig.facilitator.setMode(mode)
      const job = await finish(undefined, mode === 'hang' ? hasty : ledger)
      // A transfer that is on the chain already is found at once, whatever became of the answer.
      expect((await rig.look(job)).state).toBe(mode === 'lost' ? 'settled' : 'settlement_unknown')
      rig.facilitator.setMode('pay')
      for (let check = 0; check < 5 && (await rig.look(job)).state !== 'settled'; check++) await reconcile()
      expect((await rig.look(job)).state).toBe('settled')
      expect(await rig.database.receipt.count({ where: { jobId: job.jobId } })).toBe(1)
      expect(handedIn(job)).toBe(mode === 'lost' ? 1 : 2)
    },
  )

  it('leaves a broadcast its time before it is submitted again, and asks less and less often', async () => {
    rig.facilitator.setMode('status-500')
    const job = await finish()
    const delays: number[] = []
    const submissions: number[] = []
    for (let check = 0; check < 3; check++) {
      const { nextCheckAt } = await paymentOf(job)
      delays.push(nextCheckAt.getTime() - Date.now())
      await reconcile()
      submissions.push(handedIn(job))
    }
    expect(submissions).toEqual([1, 1, 2])
    expect(delays[1]).toBeGreaterThan(delays[0] ?? 0)
    expect(delays[2]).toBeGreaterThan(delays[1] ?? 0)
    expect(await paymentOf(job)).toMatchObject({ state: 'unknown', checks: 4, submissions: 2 })
  })

  it('is settled by a front-runner’s transfer without another submission', async () => {
    const signed = await signAuthorization(wallet)
    rig.facilitator.setMode('status-500')
    const job = await finish(signed)
    await rig.facilitator.transfer(signed.authorization, signed.signature)
    await reconcile()
    expect((await rig.look(job)).state).toBe('settled')
    expect(handedIn(job)).toBe(1)
  })
})

describe('a payment that failed for sure', () => {
  it('refused before it was sent: the result waits, the key says why, the exposure is given back', async () => {
    rig.facilitator.setMode('refuse')
    const job = await finish()
    expect(await rig.look(job)).toMatchObject({
      state: 'awaiting_payment',
      key: { jobId: job.jobId, settlementFailure: 'invalid_exact_evm_insufficient_balance' },
      job: { state: 'succeeded' },
    })
    expect(await paymentOf(job)).toMatchObject({ state: 'void', watched: true, payment: null })
    expect(rig.told.moved).toContain(job.keyHash)
    expect(rig.told.settled).not.toContain(job.jobId)
    // What was done and not paid goes on counting against the payer.
    expect(rig.told.owed).toContain(job.jobId)
  })

  it('a refusal counts for nothing when it does not answer the only submission', async () => {
    rig.facilitator.setMode('hang')
    const job = await finish(undefined, hasty)
    rig.facilitator.setMode('refuse')
    for (let check = 0; check < 5; check++) await reconcile()
    expect(handedIn(job)).toBeGreaterThan(1)
    expect((await rig.look(job)).state).toBe('settlement_unknown')
  })

  it('a refusal counts for nothing when the transfer is on the chain', async () => {
    const signed = await signAuthorization(wallet)
    await rig.facilitator.transfer(signed.authorization, signed.signature)
    rig.facilitator.setMode('refuse')
    expect((await rig.look(await finish(signed))).state).toBe('settled')
  })

  it('an authorization that paid somebody else is no payment', async () => {
    const signed = await signAuthorization(wallet)
    const elsewhere = await signAuthorization(wallet, { nonce: signed.authorization.nonce, payTo: `0x${'12'.repeat(20)}` })
    await rig.facilitator.transfer(elsewhere.authorization, elsewhere.signature)
    const job = await finish(signed)
    expect(await rig.look(job)).toMatchObject({
      state: 'awaiting_payment',
      key: { settlementFailure: 'authorization_spent_elsewhere' },
    })
    expect(await paymentOf(job)).toMatchObject({ state: 'void', watched: false })
  })
})

describe('time runs out', () => {
  it('an unused authorization is void once a confirmed block is past its validBefore, and not before', async () => {
    rig.facilitator.setMode('status-500')
    const job = await finish(await signAuthorization(wallet, { validBefore: inSeconds(3_000) }))
    await reconcile()
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    await rig.afterSeconds(3_001, () => reconcile())
    expect(await rig.look(job)).toMatchObject({
      state: 'awaiting_payment',
      key: { settlementFailure: 'authorization_expired' },
    })
    expect(await paymentOf(job)).toMatchObject({ state: 'void', watched: false })
  })

  it('a transfer that lands after its payment was void is kept on it for refund', async () => {
    const signed = await signAuthorization(wallet)
    rig.facilitator.setMode('refuse')
    const job = await finish(signed)
    const transaction = await rig.facilitator.transfer(signed.authorization, signed.signature)
    await reconcile()
    expect(await paymentOf(job)).toMatchObject({ state: 'void', lateTransaction: transaction, watched: false })
    expect(await rig.database.receipt.count({ where: { jobId: job.jobId } })).toBe(0)
  })
})

describe('a replica that dies', () => {
  it('between A and the submission: another one submits and commits', async () => {
    const dying = rig.ledger({ facilitator: { settle: () => Promise.reject(new Error('killed')) } })
    const job = await signedJob(rig.keyring, wallet)
    await dying.recordJob(job)
    await dying.take(succeeded(rig.keyring, job))
    expect((await rig.look(job)).state).toBe('settling')
    // Redelivery changes nothing; until the lease runs out nobody else touches it.
    await ledger.take(succeeded(rig.keyring, job))
    await ledger.reconcile()
    await ledger.idle(90_000)
    expect((await rig.look(job)).state).toBe('settling')
    await reconcile()
    expect((await rig.look(job)).state).toBe('settled')
    expect(handedIn(job)).toBe(1)
  })

  it('between the transfer and B: another one finds the transfer and commits it, without submitting again', async () => {
    const dying = rig.ledger({
      facilitator: {
        settle: async ({ payload }) => {
          await rig.facilitator.handIn(payload)
          throw new Error('killed')
        },
      },
    })
    const job = await signedJob(rig.keyring, wallet)
    await dying.recordJob(job)
    await dying.take(succeeded(rig.keyring, job))
    expect((await rig.look(job)).state).toBe('settling')
    await reconcile()
    expect((await rig.look(job)).state).toBe('settled')
    expect(handedIn(job)).toBe(1)
  })

  it('many replicas that reconcile at once commit one receipt', async () => {
    rig.facilitator.setMode('status-500')
    const jobs = await Promise.all(Array.from({ length: 10 }, () => finish()))
    rig.facilitator.setMode('pay')
    const replicas = Array.from({ length: 5 }, () => rig.ledger())
    for (let check = 0; check < 5; check++) {
      await rig.makeDue()
      await Promise.all(replicas.map((replica) => replica.reconcile()))
      await Promise.all(replicas.map((replica) => replica.idle(90_000)))
    }
    for (const job of jobs) {
      expect((await rig.look(job)).state).toBe('settled')
      expect(handedIn(job)).toBe(2)
      expect(rig.told.commits.filter((jobId) => jobId === job.jobId)).toHaveLength(1)
    }
  })

  it('a slow first submission that is refused cannot void what another replica submitted meanwhile', async () => {
    const signed = await signAuthorization(wallet)
    const job = await signedJob(rig.keyring, wallet, { signed })
    let refuse: () => void = () => {}
    let asked: () => void = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const slow = rig.ledger({
      facilitator: {
        settle: () =>
          new Promise((resolve) => {
            refuse = () => resolve({ kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance', blame: 'payer' })
            asked()
          }),
      },
    })
    await slow.recordJob(job)
    const first = slow.take(succeeded(rig.keyring, job))
    await isAsked
    rig.facilitator.setMode('hang')
    await reconcile(hasty)
    refuse()
    await first
    expect(await paymentOf(job)).toMatchObject({ state: 'unknown', submissions: 2 })
  })
})
