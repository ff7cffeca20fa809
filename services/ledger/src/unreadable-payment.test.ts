import { randomBytes } from 'node:crypto'
import { type JobEvent, sha256Hex } from '@turnpike/contracts'
import { openKeyring } from '@turnpike/sealing'
import { createMetrics } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ledgerMetrics } from './ledger-metrics.ts'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { type SignedAuthorization, signAuthorization, signedJob, succeeded } from './testing/signed-job.ts'

let rig: Rig
let ledger: RigLedger
let wallet: Awaited<ReturnType<Rig['wallet']>>

beforeAll(async () => {
  rig = await startRig()
  wallet = await rig.wallet(100)
  ledger = rig.ledger()
})
afterAll(() => rig?.stop())

async function finish(on: RigLedger, signed?: SignedAuthorization): Promise<JobEvent> {
  const job = await signedJob(rig.keyring, wallet, signed === undefined ? {} : { signed })
  await on.recordJob(job)
  await on.take(succeeded(rig.keyring, job))
  return job
}
async function reconcile(on: RigLedger = ledger) {
  await rig.makeDue()
  await on.reconcile()
  await on.idle(30_000)
}
const paymentOf = ({ jobId }: JobEvent) => rig.database.payment.findFirstOrThrow({ where: { jobId } })
const handedIn = ({ nonce }: JobEvent) => rig.facilitator.seen().filter((seen) => seen === nonce).length
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('a stored payment that cannot be read', () => {
  it('is our own fault: it waits, sends nothing, sounds the alarm, and goes on once it can be read', async () => {
    const metrics = createMetrics('ledger')
    const keyless = rig.ledger({
      keyring: openKeyring(`k2:${randomBytes(32).toString('base64')}`),
      metrics: ledgerMetrics(metrics),
    })
    const job = await finish(keyless)
    for (let check = 0; check < 5; check++) await reconcile(keyless)
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    // What was never sent does not count as a submission either.
    expect(await paymentOf(job)).toMatchObject({ submissions: 1, failure: 'payment_seal_broken' })
    expect(handedIn(job)).toBe(0)
    expect(await metrics.registry.metrics()).toMatch(
      /turnpike_ledger_unreadable_payments_total\{reason="seal_broken",service="ledger"\} [1-9]/,
    )
    await reconcile()
    expect((await rig.look(job)).state).toBe('settled')
    expect(handedIn(job)).toBe(1)
  })

  it('waits for a store that is away', async () => {
    const job = await signedJob(rig.keyring, wallet)
    const payment = { ref: `payments/${job.jobId}`, sha256: sha256Hex('x'), bytes: 300_000 }
    await ledger.recordJob({ ...job, payment })
    await ledger.take(succeeded(rig.keyring, job))
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    expect(await paymentOf(job)).toMatchObject({ failure: 'payment_store_unavailable' })
  })

  it('whose sealed form is another payment is never sent, and never held against its payer', async () => {
    const job = await signedJob(rig.keyring, wallet)
    const forged = { ...job, amountAtomic: '1999' }
    await ledger.recordJob(forged)
    await ledger.take(succeeded(rig.keyring, job))
    expect((await rig.look(job)).state).toBe('settlement_unknown')
    expect(handedIn(job)).toBe(0)
  })

  it('is void once its authorization has expired unused', async () => {
    const keyless = rig.ledger({ keyring: openKeyring(`k2:${randomBytes(32).toString('base64')}`) })
    const job = await finish(keyless, await signAuthorization(wallet, { validBefore: inSeconds(3_000) }))
    await rig.afterSeconds(3_001, () => reconcile(keyless))
    expect(await rig.look(job)).toMatchObject({
      state: 'awaiting_payment',
      key: { settlementFailure: 'authorization_expired' },
    })
  })
})
