import { until } from '@turnpike/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Rig, type RigLedger, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded } from './testing/signed-job.ts'

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

describe('a settlement that hangs', () => {
  it('holds up neither the turn that began it nor what is due after it', async () => {
    const [hanging, next] = [await signedJob(rig.keyring, wallet), await signedJob(rig.keyring, wallet)]
    const dying = rig.ledger({ facilitator: { settle: () => Promise.reject(new Error('killed')) } })
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const asked: string[] = []
    const slow = rig.ledger({
      facilitator: {
        settle: async ({ payload }) => {
          const { nonce } = payload.payload.authorization as { nonce: string }
          asked.push(nonce)
          if (nonce === hanging.nonce) await held
          await rig.facilitator.handIn(payload)
          return { kind: 'unknown', why: 'timeout', reason: 'late', transaction: undefined }
        },
      },
    })
    for (const job of [hanging, next]) {
      await dying.recordJob(job)
      await dying.take(succeeded(rig.keyring, job))
      await rig.makeDue()
      await slow.reconcile()
      await until('the submission', () => asked.includes(job.nonce))
    }
    await until('settlement', async () => (await rig.look(next)).state === 'settled')
    expect((await rig.look(hanging)).state).toBe('settling')
    release()
    await slow.idle(30_000)
    expect((await rig.look(hanging)).state).toBe('settled')
  })

  it('leaves what is due to others while its process has no room', async () => {
    const full = rig.ledger({ settlementsAtOnce: 0 })
    rig.facilitator.setMode('status-500')
    const job = await signedJob(rig.keyring, wallet)
    await ledger.recordJob(job)
    await ledger.take(succeeded(rig.keyring, job))
    await rig.makeDue()
    expect(await full.reconcile()).toBe(false)
    await full.idle(30_000)
    expect(await rig.database.payment.findFirst({ where: { jobId: job.jobId } })).toMatchObject({ owner: null, checks: 1 })
  })
})
