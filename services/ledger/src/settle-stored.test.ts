import { randomBytes, randomUUID } from 'node:crypto'
import { type JobEvent, keyHashOf, type SettleStoredRequest } from '@turnpike/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readRelease } from './releases.ts'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { type SignedAuthorization, sealedPayment, signAuthorization, signedJob, succeeded } from './testing/signed-job.ts'

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

async function awaitingPayment(signed?: SignedAuthorization): Promise<JobEvent> {
  const job = await signedJob(rig.keyring, wallet, signed === undefined ? {} : { signed })
  await ledger.recordJob(job)
  rig.facilitator.setMode('refuse')
  await ledger.take(succeeded(rig.keyring, job))
  rig.facilitator.setMode('pay')
  expect((await rig.look(job)).state).toBe('awaiting_payment')
  return job
}

async function command(job: JobEvent, signed?: SignedAuthorization): Promise<SettleStoredRequest> {
  const { authorization, signature } = signed ?? (await signAuthorization(wallet))
  return {
    keyHash: job.keyHash,
    jobId: job.jobId,
    fingerprint: job.fingerprint,
    payer: job.payer,
    nonce: authorization.nonce,
    validBefore: Number(authorization.validBefore),
    amountAtomic: job.amountAtomic,
    payment: sealedPayment(rig.keyring, job.jobId, { authorization, signature }),
  }
}

async function voidPaymentOf({ jobId }: JobEvent) {
  return rig.database.payment.findFirstOrThrow({ where: { jobId, state: 'void' } })
}
/** A node that is away, for every question. */
const unreachable = new Proxy({} as Rig['rpc']['client'], {
  get: () => () => Promise.reject(new Error('away')),
})

async function settle(request: SettleStoredRequest) {
  const { status } = await ledger.settleStored(request)
  await ledger.idle(30_000)
  return status
}

describe('settleStored', () => {
  it('releases the stored result for a new signature, at the stored price, without another execution', async () => {
    const job = await awaitingPayment()
    const request = await command(job)
    expect(await settle(request)).toBe('accepted')
    expect((await rig.look(job)).state).toBe('settled')
    const release = await readRelease(rig.database, job.jobId)
    expect(release).toMatchObject({ jobId: job.jobId, paymentResponse: { amount: job.amountAtomic } })
    expect(await rig.look({ ...job, nonce: request.nonce })).toMatchObject({
      authorizationOwner: { keyHash: job.keyHash, fingerprint: job.fingerprint },
    })
    // The command again, after it is done.
    expect(await settle(request)).toBe('accepted')
    expect(await rig.database.receipt.count({ where: { jobId: job.jobId } })).toBe(1)
  })

  it('takes the first signature again, when its payer has mended what was wrong', async () => {
    const signed = await signAuthorization(wallet)
    const job = await awaitingPayment(signed)
    expect(await settle(await command(job, signed))).toBe('accepted')
    expect((await rig.look(job)).state).toBe('settled')
    // The void payment's own watch ends: the transfer that it would find is the settled one's.
    expect(await voidPaymentOf(job)).toMatchObject({ watched: false })
    await rig.byHand.payment.updateMany({ where: { jobId: job.jobId, state: 'void' }, data: { watched: true } })
    await rig.makeDue()
    await ledger.reconcile()
    await ledger.idle(30_000)
    expect(await voidPaymentOf(job)).toMatchObject({ watched: false, lateTransaction: null })
  })

  it('books nothing for refund while the settlement of the same signature is undecided', async () => {
    const signed = await signAuthorization(wallet)
    const job = await awaitingPayment(signed)
    const slow = rig.ledger({ chain: { ...rig.rpc, client: unreachable }, confirmWaitMs: 0 })
    expect((await slow.settleStored(await command(job, signed))).status).toBe('accepted')
    await slow.idle(30_000)
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    const { id } = await voidPaymentOf(job)
    const [committed] = await rig.database.$queryRaw<{ became: string }[]>`
      SELECT became FROM commit_settlement(${id}::uuid, '0xabc', '{}'::json, ${randomUUID()}::uuid, '{}'::json)`
    expect(committed).toEqual({ became: 'taken_over' })
    expect(await voidPaymentOf(job)).toMatchObject({ watched: false, lateTransaction: null })
    await rig.makeDue()
    await ledger.reconcile()
    await ledger.idle(30_000)
    expect((await rig.look(job)).state).toBe('settled')
  })

  it('settles one of two signatures that arrive at once', async () => {
    const job = await awaitingPayment()
    const statuses = await Promise.all([settle(await command(job)), settle(await command(job))])
    expect(statuses.sort()).toEqual(['accepted', 'conflict'])
    expect(await rig.database.payment.count({ where: { jobId: job.jobId, state: 'settled' } })).toBe(1)
  })

  it('goes back to waiting when the new payment fails for sure too', async () => {
    const job = await awaitingPayment()
    rig.facilitator.setMode('refuse')
    expect(await settle(await command(job))).toBe('accepted')
    expect((await rig.look(job)).state).toBe('awaiting_payment')
    rig.facilitator.setMode('pay')
    expect(await settle(await command(job))).toBe('accepted')
    expect((await rig.look(job)).state).toBe('settled')
  })

  it('refuses a signature that belongs to another request, and leaves the result waiting', async () => {
    const signed = await signAuthorization(wallet)
    await ledger.recordJob(await signedJob(rig.keyring, wallet, { signed }))
    const job = await awaitingPayment()
    expect(await settle(await command(job, signed))).toBe('payment_already_used')
    expect((await rig.look(job)).state).toBe('awaiting_payment')
  })

  it.each([
    ['another payer', { payer: `0x${'ab'.repeat(20)}` }],
    ['another price', { amountAtomic: '1999' }],
    ['another effective request', { fingerprint: 'a'.repeat(64) }],
    ['another job', { jobId: 'a'.repeat(64) }],
    ['an unknown key', { keyHash: keyHashOf(randomBytes(8).toString('hex')) }],
  ])('answers conflict to %s', async (_, change) => {
    const job = await awaitingPayment()
    expect(await settle({ ...(await command(job)), ...change })).toBe('conflict')
    expect((await rig.look(job)).state).toBe('awaiting_payment')
  })

  it('comes too late after an hour: the key is free for a new execution and the result is gone', async () => {
    const job = await awaitingPayment()
    await rig.byHand.result.update({ where: { jobId: job.jobId }, data: { expiresAt: new Date(Date.now() - 1) } })
    expect(await settle(await command(job))).toBe('conflict')
    // Whoever looks again at once finds the key free, and a sweep later changes nothing about it.
    expect(await rig.look(job)).toMatchObject({ state: 'free', key: { attempts: 1 } })
    await ledger.expire()
    expect(await rig.look(job)).toMatchObject({ state: 'free', key: { attempts: 1 } })
    expect(await rig.database.result.count({ where: { jobId: job.jobId } })).toBe(0)
    const again = await signedJob(rig.keyring, wallet, { keyHash: job.keyHash, fingerprint: job.fingerprint, attempt: 1 })
    await ledger.recordJob(again)
    await ledger.take(succeeded(rig.keyring, again))
    expect((await rig.look(again)).state).toBe('settled')
  })
})
